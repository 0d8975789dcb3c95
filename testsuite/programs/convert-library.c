/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the converter's tests: a shared library whose function is called through the PLT and calls back. */
int library_work(int n, int (*call_back)(int));

int library_work(int n, int (*call_back)(int))
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		if (i % 4 == 0)
			sum += call_back(i); /* =60= */
		sum ^= i; /* =200= */
	}
	return sum;
}
