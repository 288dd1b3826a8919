"""The calling style of S0's lab, over linnet's learners (SPEC C-21, E-08).

The modules are named as in the lecture's exercises, which so run almost as printed:

>>> import linnet.lecture.simple_data_set as sds
>>> import linnet.lecture.gaussian_naive_bayes as gnbc
>>> sd = sds.SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5,
...                        split=[0.5, 0, 0.5])
>>> gnb = gnbc.GaussianNaiveBayes()
>>> params = gnb.train(sd.train_X, sd.train_y)
>>> params.shape
(3, 2)
>>> gnb.evaluate(sd.test_y, gnb.test(sd.test_X, params)) > 0.8
True

Labels are 0..K-1; parameters have shape (J + 1, K), row 0 the bias, column k for label k. The
classes only translate the lecture's parameters into linnet's and call its learners; new work is
better written with the learners themselves.
"""
