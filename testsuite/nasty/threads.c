/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads under the recorder: many short ones, threads that block all signals, mutexes and condition variables,
 * cancellation, thread-local data with destructors, and threads that fault at the same time as others are recorded. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long shared, turns, destroyed;
static pthread_key_t key;
static __thread sigjmp_buf back;

static uint32_t work(uint32_t n)
{
	uint32_t h = n;
	for (uint32_t i = 0; i < 300; i++)
		h = (h & 1) ? h * 33 + i : h / 2 + 7 * i;
	return h;
}

static void count_destroyed(void *value)
{
	__atomic_fetch_add(&destroyed, (long)value, __ATOMIC_RELAXED);
}

static void *locker(void *argument)
{
	for (long i = 0; i < 5000; i++) {
		uint32_t h = work((uint32_t)(i + (long)argument));
		pthread_mutex_lock(&lock);
		shared += h & 15;
		pthread_mutex_unlock(&lock);
	}
	pthread_setspecific(key, (void *)1);
	return NULL;
}

static void *blocker(void *argument)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	return locker(argument);
}

static void *turner(void *argument)
{
	long me = (long)argument;
	for (int i = 0; i < 5000; i++) {
		pthread_mutex_lock(&lock);
		while (turns % 2 != me)
			pthread_cond_wait(&changed, &lock);
		turns++;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void on_segv(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void *faulter(void *argument)
{
	volatile long caught = 0;
	for (volatile long i = 0; i < 6000; i++) {
		if (sigsetjmp(back, 1) == 0) {
			work((uint32_t)i);
			*(volatile char *)16 = 1;
		} else {
			caught++;
		}
	}
	*(long *)argument = caught;
	return NULL;
}

static void *forever(void *argument)
{
	int old;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	for (uint32_t i = 0;; i++)
		*(volatile uint32_t *)argument = work(i);
	return NULL;
}

static int short_one(void *argument)
{
	return (int)(work((uint32_t)(uintptr_t)argument) & 255);
}

int main(void)
{
	pthread_t threads[8];
	long sum = 0, caught[2];
	uint32_t scratch;
	pthread_key_create(&key, count_destroyed);
	for (long i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, i % 2 ? blocker : locker, (void *)i);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	printf("locked %ld destroyed %ld\n", shared, destroyed);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, turner, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("turns %ld\n", turns);
	signal(SIGSEGV, on_segv);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, faulter, &caught[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("caught %ld %ld\n", caught[0], caught[1]);
	for (int i = 0; i < 20; i++) {
		void *result;
		pthread_create(&threads[0], NULL, forever, &scratch);
		usleep(5000);
		pthread_cancel(threads[0]);
		pthread_join(threads[0], &result);
		sum += result == PTHREAD_CANCELED;
	}
	printf("cancelled %ld\n", sum);
	for (uintptr_t i = 0; i < 1000; i++) {
		thrd_t thread;
		int result;
		thrd_create(&thread, short_one, (void *)i);
		thrd_join(thread, &result);
		sum += result;
	}
	printf("short %ld\n", sum);
	return 0;
}
