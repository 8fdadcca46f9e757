"""Compiles the kernels with NVRTC, and writes one compressed image for each family and target.

Usage: compile.py OLD NEW OUT [--check]

OLD and NEW are folders that hold nvidia-cuda-nvrtc-cu12 12.0.140 and 12.9.86: the older compiles what
old drivers take, the newer the targets that came later. Nothing depends on the machine or the time,
so the same sources give the same images; --check compares them with those in OUT instead of writing.
"""

import ctypes
import pathlib
import sys
import zlib

HERE = pathlib.Path(__file__).parent

# Family: source and definitions.
FAMILIES = {
    **{f"tile_{item}": ("tile.cu", [f"-DITEM_BYTES={item}"]) for item in (1, 2, 4, 8, 16)},
    "strip": ("strip.cu", []),
    "direct": ("direct.cu", []),
    "interleave": ("interleave.cu", []),
    "any": ("any.cu", []),
}
# Target: which compiler.
TARGETS = {"compute_70": 0, "sm_80": 0, "sm_86": 0, "sm_89": 0, "sm_90": 0, "sm_100": 1, "sm_120": 1}


class Compiler:
    def __init__(self, folder: str):
        libraries = sorted(pathlib.Path(folder).rglob("libnvrtc*.so.12*"), key=lambda path: "builtins" not in path.name)
        # The builtins first: the compiler looks for them by name, in no particular folder.
        loaded = [ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL) for path in libraries if ".alt." not in path.name]
        self.library = loaded[-1]

    def check(self, status: int):
        if status != 0:
            raise SystemExit(f"NVRTC failed with status {status}")

    def compile(self, source: str, target: str, options: list[str]) -> tuple[bytes, str]:
        header = (HERE / "job.cuh").read_bytes()
        program = ctypes.c_void_p()
        text = (HERE / source).read_bytes()
        headers, names = (ctypes.c_char_p * 1)(header), (ctypes.c_char_p * 1)(b"job.cuh")
        self.check(self.library.nvrtcCreateProgram(ctypes.byref(program), text, source.encode(), 1, headers, names))
        options = [f"--gpu-architecture={target}", "--std=c++17", "--device-as-default-execution-space", *options]
        values = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        status = self.library.nvrtcCompileProgram(program, len(options), values)
        log = self.text(program, "ProgramLog")
        if status != 0:
            raise SystemExit(f"{source} for {target}:\n{log.decode()}")
        image = self.text(program, "CUBIN" if target.startswith("sm_") else "PTX")
        self.check(self.library.nvrtcDestroyProgram(ctypes.byref(program)))
        return image, log.decode()

    def text(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self.check(getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self.check(getattr(self.library, f"nvrtcGet{what}")(program, buffer))
        return buffer.raw[: size.value]


def main() -> None:
    old, new, out, *rest = sys.argv[1:]
    compilers = [Compiler(old), Compiler(new)]
    folder, differing, total = pathlib.Path(out), [], 0
    for family, (source, options) in FAMILIES.items():
        for target, compiler in TARGETS.items():
            image, _ = compilers[compiler].compile(source, target, options)
            # Loaders of PTX need the zero byte at its end, which the image has.
            packed = zlib.compress(image, 9)
            path = folder / f"{family}.{target}.z"
            total += len(packed)
            if "--check" in rest:
                # Other versions of zlib pack the same bytes in other ways.
                if not path.exists() or zlib.decompress(path.read_bytes()) != image:
                    differing.append(path.name)
            else:
                path.write_bytes(packed)
    print(f"{len(FAMILIES) * len(TARGETS)} images, {total >> 10} KiB")
    if differing:
        raise SystemExit(f"wanted the images of the sources, got others: {', '.join(differing)}")


if __name__ == "__main__":
    main()
