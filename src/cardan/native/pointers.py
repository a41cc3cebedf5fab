"""Raw memory and C functions by address, usable inside compiled code.

Everything that a run reads or writes lies in 8-byte words at addresses that only the native core knows. These few
intrinsics are the only place where an integer becomes a pointer.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

WORD = 8  # bytes in a word of the arena

ENTRY_SIGNATURE = types.int64(types.float64, types.int64)


@intrinsic
def as_voidptr(typingctx, address):
    """The integer `address` as a pointer."""

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), codegen


@intrinsic
def call_entry(typingctx, address, t, context):
    """Call the entry at `address`; returns its status."""
    signature = types.int64(types.int64, types.float64, types.int64)

    def codegen(target, builder, sig, args):
        kind = ir.FunctionType(ir.IntType(64), [ir.DoubleType(), ir.IntType(64)])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1], args[2]])

    return signature, codegen


@intrinsic
def call_two(typingctx, address, first, second):
    """Call the C function `void f(void*, void*)` at `address`."""
    signature = types.void(types.int64, types.int64, types.int64)

    def codegen(target, builder, sig, args):
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64), ir.IntType(64)])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1], args[2]])
        return target.get_dummy_value()

    return signature, codegen


@intrinsic
def call_three(typingctx, address, first, second, third):
    """Call the C function `void f(void*, void*, void*)` at `address`."""
    signature = types.void(types.int64, types.int64, types.int64, types.int64)

    def codegen(target, builder, sig, args):
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)] * 3)
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1], args[2], args[3]])
        return target.get_dummy_value()

    return signature, codegen


@intrinsic
def load_float(typingctx, address):
    """The float64 at `address`."""

    def codegen(context, builder, signature, args):
        return builder.load(builder.inttoptr(args[0], ir.DoubleType().as_pointer()))

    return types.float64(types.int64), codegen


@intrinsic
def load_int(typingctx, address):
    """The int64 at `address`."""

    def codegen(context, builder, signature, args):
        return builder.load(builder.inttoptr(args[0], ir.IntType(64).as_pointer()))

    return types.int64(types.int64), codegen


@intrinsic
def store_float(typingctx, address, value):
    """Write a float64 at `address`."""

    def codegen(context, builder, signature, args):
        builder.store(args[1], builder.inttoptr(args[0], ir.DoubleType().as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.float64), codegen


@intrinsic
def store_int(typingctx, address, value):
    """Write an int64 at `address`."""

    def codegen(context, builder, signature, args):
        builder.store(args[1], builder.inttoptr(args[0], ir.IntType(64).as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def readonly(typingctx, array):
    """The same array typed read-only, so that writing into it does not compile."""

    def codegen(context, builder, signature, args):
        return impl_ret_borrowed(context, builder, signature.return_type, args[0])

    return array.copy(readonly=True)(array), codegen
