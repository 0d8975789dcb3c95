! SPDX-License-Identifier: GPL-3.0-or-later
! For testsuite/bench: two loops over a field, one of which decides at each point.
module field
contains
subroutine relax(u, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: u(n, n)
  integer :: i, j
  do j = 2, n - 1
    do i = 2, n - 1
      if (u(i, j) > 0.5d0) then
        u(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      else
        u(i, j) = u(i, j) + 0.1d0 * u(i-1, j)
      end if
    end do
  end do
end subroutine
real(8) function total(u, n)
  integer, intent(in) :: n
  real(8), intent(in) :: u(n, n)
  integer :: i, j
  total = 0
  do j = 1, n
    do i = 1, n
      total = total + u(i, j)
    end do
  end do
end function
end module
program waves
  use field
  real(8) :: u(300, 300), s
  integer :: k, rounds
  character(len=12) :: word
  rounds = 700
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) rounds
  end if
  call random_number(u)
  s = 0
  do k = 1, rounds
    call relax(u, 300)
    s = s + total(u, 300)
  end do
  print *, s
end program
