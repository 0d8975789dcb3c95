! SPDX-License-Identifier: GPL-3.0-or-later
! What numerical programs ask of LAPACK, on random matrices of a linear congruential generator: linear systems, least
! squares, symmetric and general eigenvalues, singular values.  Printed are digests with so few digits that rounding, which
! the compiler may order differently, does not show.  usage: linear SEED ROUNDS SIZE
program linear
    implicit none
    integer, parameter :: real8 = kind(1d0)
    integer(selected_int_kind(18)) :: seed
    integer :: rounds, n, round, step

    seed = argument(1)
    rounds = argument(2)
    n = argument(3)
    do round = 1, rounds
        step = modulo(round, 8)
        call solve(n + 7 * step)
        call fit(2 * n, n / 2 + step)
        call symmetric(n - step)
        call general(n / 2 + 3 * step)
        call singular(n, n / 2)
    end do

contains

    integer function argument(which)
        integer, intent(in) :: which
        character(len=20) :: text

        call get_command_argument(which, text)
        read (text, *) argument
    end function

    subroutine fill(a)
        real(real8), intent(out) :: a(:, :)
        integer :: i, j

        do j = 1, size(a, 2)
            do i = 1, size(a, 1)
                seed = modulo(seed * 16807, 2147483647_8)
                a(i, j) = dble(modulo(seed, 20011_8)) / 10005.5d0 - 1
            end do
        end do
    end subroutine

    subroutine say(what, value, info)
        character(len=*), intent(in) :: what
        real(real8), intent(in) :: value
        integer, intent(in) :: info

        print '(a, i5, es12.3)', what, info, value
    end subroutine

    subroutine solve(m)
        integer, intent(in) :: m
        real(real8) :: a(m, m), b(m, 4)
        integer :: pivots(m), i, info

        call fill(a)
        call fill(b)
        do i = 1, m
            a(i, i) = a(i, i) + 8
        end do
        call dgesv(m, 4, a, m, pivots, b, m, info)
        call say('solve    ', sum(abs(b)), info)
    end subroutine

    subroutine fit(m, k)
        integer, intent(in) :: m, k
        real(real8) :: a(m, k), b(m, 1), work(64 * m)
        integer :: info

        call fill(a)
        call fill(b)
        call dgels('N', m, k, 1, a, m, b, m, work, size(work), info)
        call say('fit      ', sum(abs(b(1:k, 1))), info)
    end subroutine

    subroutine symmetric(m)
        integer, intent(in) :: m
        real(real8) :: a(m, m), w(m), work(64 * m)
        integer :: info

        call fill(a)
        a = a + transpose(a)
        call dsyev('V', 'U', m, a, m, w, work, size(work), info)
        call say('symmetric', maxval(w) - minval(w), info)
    end subroutine

    subroutine general(m)
        integer, intent(in) :: m
        real(real8) :: a(m, m), re(m), im(m), left(1, 1), right(m, m), work(64 * m)
        integer :: info

        call fill(a)
        call dgeev('N', 'V', m, a, m, re, im, left, 1, right, m, work, size(work), info)
        call say('general  ', sum(re * re + im * im), info)
    end subroutine

    subroutine singular(m, k)
        integer, intent(in) :: m, k
        real(real8) :: a(m, k), s(k), u(m, k), vt(k, k), work(200 * m)
        integer :: info

        call fill(a)
        call dgesvd('S', 'S', m, k, a, m, s, u, m, vt, k, work, size(work), info)
        call say('singular ', s(1) / s(k), info)
    end subroutine
end program
