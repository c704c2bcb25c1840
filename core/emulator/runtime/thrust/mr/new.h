/* SPDX-License-Identifier: MIT */
/* In place of Thrust's own: its device memory is known to the emulator. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_THRUST_MR_NEW_H
#define CALAB_CORE_EMULATOR_RUNTIME_THRUST_MR_NEW_H

#include <new>

#include <thrust/detail/config.h>
#include <thrust/mr/memory_resource.h>

#include "core/emulator/runtime/library.h"

THRUST_NAMESPACE_BEGIN
namespace mr
{

class new_delete_resource_base : public memory_resource<>
{
  public:
    void *do_allocate(std::size_t bytes, std::size_t = THRUST_MR_DEFAULT_ALIGNMENT) override
    {
        return emulated_library_take(bytes);
    }
    void do_deallocate(void *memory, std::size_t,
                       std::size_t = THRUST_MR_DEFAULT_ALIGNMENT) override
    {
        emulated_library_give(memory);
    }
};

class new_delete_resource final : public new_delete_resource_base
{
};

} // namespace mr
THRUST_NAMESPACE_END

#endif
