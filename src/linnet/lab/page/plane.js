export const title = "Plane"; export const docs=[["reference: perceptron", "reference/perceptron"]]; export const defaults={n:100};
export async function mount(root, context) { return {step(d){}, async update(state){ await context.ask({n: state.n}); root.textContent = "ok"; }}; }
