! SPDX-License-Identifier: MIT
! Weights of scores that lie in the columns of a Fortran array, by libnorm through iso_c_binding.
!   gfortran weights.f90 $(pkg-config --libs libnorm)
module libnorm
    use, intrinsic :: iso_c_binding
    implicit none

    ! norm_error and norm_rows of <libnorm/status.h> and <libnorm/normalizer.h>, member by member.
    type, bind(c) :: norm_error
        integer(c_int32_t) :: struct_size = 512, status = 0
        integer(c_int64_t) :: where = 0
        character(kind=c_char) :: text(496) = c_null_char
    end type
    type, bind(c) :: norm_rows
        integer(c_int32_t) :: struct_size, flags = 0
        integer(c_int64_t) :: batch = 1, rows = 0, cols = 0
        integer(c_int64_t), dimension(3) :: z_stride = 0, w_stride = 0, g_stride = 0, d_stride = 0
        integer(c_int64_t) :: causal_offset = 0
        type(c_ptr) :: begin = c_null_ptr, end = c_null_ptr
        integer(c_int64_t) :: interval_stride(2) = 0
        type(c_ptr) :: visible = c_null_ptr
        integer(c_int64_t) :: visible_stride(3) = 0
    end type

    interface
        integer(c_int32_t) function norm_normalizer_parse(spec, length, allocator, normalizer, error) bind(c)
            import
            character(kind=c_char), intent(in) :: spec(*)
            integer(c_size_t), value :: length
            type(c_ptr), value :: allocator
            type(c_ptr), intent(inout) :: normalizer
            type(norm_error), intent(inout) :: error
        end function
        subroutine norm_normalizer_free(normalizer) bind(c)
            import
            type(c_ptr), value :: normalizer
        end subroutine
        integer(c_int32_t) function norm_apply_f64(normalizer, rows, scores, weights, outputs, exec, error) bind(c)
            import
            type(c_ptr), value :: normalizer, outputs, exec
            type(norm_rows), intent(in) :: rows
            real(c_double), intent(in) :: scores(*)
            real(c_double), intent(inout) :: weights(*)
            type(norm_error), intent(inout) :: error
        end function
    end interface
end module

program weights_of_columns
    use libnorm
    implicit none
    character(*), parameter :: spec = "sparsemax:temperature=4"
    real(c_double) :: scores(3, 4), weights(3, 4)
    type(norm_error) :: error
    type(norm_rows) :: rows
    type(c_ptr) :: normalizer = c_null_ptr
    integer :: i

    call expect(norm_normalizer_parse(spec, len(spec, c_size_t), c_null_ptr, normalizer, error))

    ! A row of scores is a row of the array: its entries are 3 elements apart, the next row starts at the next element.
    scores = reshape([(real(i, c_double), i = 1, 12)], [3, 4])
    scores(2, 4) = 12.5_c_double
    rows%struct_size = int(c_sizeof(rows), c_int32_t)
    rows%rows = size(scores, 1)
    rows%cols = size(scores, 2)
    rows%z_stride = [0, 1, size(scores, 1)]
    rows%w_stride = rows%z_stride
    call expect(norm_apply_f64(normalizer, rows, scores, weights, c_null_ptr, c_null_ptr, error))
    call norm_normalizer_free(normalizer)

    do i = 1, size(weights, 1)
        print '(4f10.6, a, f9.6)', weights(i, :), "  sum", sum(weights(i, :))
    end do

contains

    subroutine expect(status)
        integer(c_int32_t), intent(in) :: status
        if (status == 0) return
        print '(496a)', error%text(:findloc(error%text, c_null_char, 1) - 1)
        error stop
    end subroutine
end program
