// Runs the kernels of strideview-cuda on the host, so that machines without a GPU test what they do.
//
// A block is 256 fibers, which take turns at every barrier. Memory of the device is that of the host.
#include "shim.hpp"

#include <dlfcn.h>
#include <string.h>
#include <ucontext.h>

#include <memory>

thread_local Place threadIdx, blockIdx, gridDim;
thread_local unsigned char __align__(128) shared[96 << 10];

namespace {

constexpr int FIBERS = 256;
constexpr size_t STACK = 64 << 10;

ucontext_t scheduler, fibers[FIBERS];
bool ended[FIBERS];
int current;

// A job of so many bytes, passed as the kernels take theirs: by value, on the stack.
template <size_t SIZE> struct Job {
    uint64_t words[SIZE / 8];
};

void (*go)();
template <size_t SIZE> void (*entry)(Job<SIZE>);
template <size_t SIZE> Job<SIZE> job;
template <size_t SIZE> void call() { entry<SIZE>(job<SIZE>); }

template <size_t SIZE> void prepare(void* kernel, const void* argument) {
    entry<SIZE> = reinterpret_cast<void (*)(Job<SIZE>)>(kernel);
    memcpy(&job<SIZE>, argument, SIZE);
    go = call<SIZE>;
}

void run() {
    go();
    ended[current] = true;
}

bool starts(const char* name, const char* with) { return strncmp(name, with, strlen(with)) == 0; }

}  // namespace

void barrier() {
    int own = current;
    swapcontext(&fibers[own], &scheduler);
}

// Runs a kernel of the library by its name; 0 when it is not there.
extern "C" int emulate(const char* name, uint32_t blocks, const void* argument) {
    Dl_info self;
    dladdr(reinterpret_cast<void*>(&emulate), &self);
    void* library = dlopen(self.dli_fname, RTLD_NOW);
    void* kernel = dlsym(library, name);
    if (kernel == nullptr) return 0;
    if (starts(name, "tile_")) prepare<648>(kernel, argument);
    else if (starts(name, "any_")) prepare<1592>(kernel, argument);
    else if (starts(name, "split_") || starts(name, "join_")) prepare<432>(kernel, argument);
    else prepare<600>(kernel, argument);
    static std::unique_ptr<unsigned char[]> stacks(new unsigned char[FIBERS * STACK]);
    gridDim = {blocks, 1, 1};
    for (uint32_t block = 0; block < blocks; block++) {
        blockIdx = {block, 0, 0};
        // What an earlier block left there must not matter.
        memset(shared, 0xa5, sizeof shared);
        for (int i = 0; i < FIBERS; i++) {
            getcontext(&fibers[i]);
            fibers[i].uc_stack.ss_sp = stacks.get() + i * STACK;
            fibers[i].uc_stack.ss_size = STACK;
            fibers[i].uc_link = &scheduler;
            makecontext(&fibers[i], run, 0);
            ended[i] = false;
        }
        for (int alive = FIBERS; alive > 0;) {
            for (int i = 0; i < FIBERS; i++) {
                if (ended[i]) continue;
                current = i;
                threadIdx = {uint32_t(i), 0, 0};
                swapcontext(&scheduler, &fibers[i]);
                if (ended[i]) alive--;
            }
        }
    }
    return 1;
}
