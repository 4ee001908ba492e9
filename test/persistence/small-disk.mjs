// @ts-check
/**
 * Makes the folder SMALL_DISK of a program a disk of SMALL_DISK_BYTES: `node --import` loads this before the program. Writes take
 * what room there is and then fail with ENOSPC; while a file `….read-only` is beside the folder, every change fails with EROFS. It
 * stands for a mounted disk, which needs root and is not to be had on every system.
 */
import fs, { constants, existsSync, promises as files, readdirSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, sep } from "node:path";

const DISK = process.env.SMALL_DISK ?? "";
const BYTES = Number(process.env.SMALL_DISK_BYTES);
const real = { ...files };

const isOn = (/** @type {unknown} */ path) => `${path}${sep}`.startsWith(DISK + sep);

function room() {
  let left = BYTES;
  for (const name of readdirSync(DISK, { recursive: true, encoding: "utf8" })) {
    const found = statSync(join(DISK, name), { throwIfNoEntry: false });
    if (found?.isFile()) left -= found.size;
  }
  return left;
}

/** @param {"ENOSPC" | "EROFS"} code @param {string} call */
const failure = (code, call) => Object.assign(new Error(`${code}: ${call}`), { code, syscall: call });

function checkWritable(/** @type {string} */ call) {
  if (existsSync(`${DISK}.read-only`)) throw failure("EROFS", call);
}

const CHANGES = /** @type {const} */ (["mkdir", "rename", "rm", "unlink", "link", "utimes", "truncate"]);
for (const call of CHANGES)
  Object.assign(files, {
    [call]: async (/** @type {[any, any, any]} */ ...args) => {
      // That a folder is there already comes first.
      const isThere = call === "mkdir" && existsSync(args[0]);
      if (args.some(isOn) && !isThere) checkWritable(call);
      return real[call](...args);
    },
  });

/** @type {WeakSet<object>} */
const handles = new WeakSet();
const READS = ["r", constants.O_RDONLY, undefined];

Object.assign(files, {
  open: async (/** @type {Parameters<typeof real.open>} */ ...args) => {
    if (isOn(args[0]) && !READS.includes(args[1])) checkWritable("open");
    const handle = await real.open(...args);
    if (isOn(args[0])) handles.add(handle);
    return handle;
  },
  /** @param {string} path @param {string | Uint8Array} data @param {{ readonly flag?: string }} [options] */
  async writeFile(path, data, { flag = "w" } = {}) {
    const handle = await files.open(path, flag);
    await handle.writeFile(data).finally(() => handle.close());
  },
  /** @param {string} from @param {string} to */
  async copyFile(from, to) {
    await files.writeFile(to, await real.readFile(from));
  },
});

const probe = await real.open(process.execPath);
const prototype = Object.getPrototypeOf(probe);
await probe.close();
const { write, writeFile, truncate } = prototype;
Object.assign(prototype, {
  /** @this {files.FileHandle} @param {Buffer} bytes */
  async write(bytes, offset = 0, length = bytes.length - offset, position = null) {
    if (!handles.has(this)) return write.call(this, bytes, offset, length, position);
    checkWritable("write");
    const possible = Math.min(length, room());
    if (possible <= 0 && length > 0) throw failure("ENOSPC", "write");
    return write.call(this, bytes, offset, possible, position);
  },
  /** @this {files.FileHandle} @param {string | Uint8Array} data @param {unknown[]} rest */
  async writeFile(data, ...rest) {
    if (!handles.has(this)) return writeFile.call(this, data, ...rest);
    const bytes = Buffer.from(data);
    for (let at = 0; at < bytes.length; ) at += (await this.write(bytes, at)).bytesWritten;
  },
  /** @this {files.FileHandle} @param {number} length */
  async truncate(length) {
    if (handles.has(this)) checkWritable("ftruncate");
    return truncate.call(this, length);
  },
});

const { openSync, closeSync, writeFileSync, writeSync, renameSync, rmSync } = fs;
/** @type {Set<number>} */
const open = new Set();
Object.assign(fs, {
  openSync: (/** @type {Parameters<typeof openSync>} */ ...args) => {
    if (isOn(args[0]) && !READS.includes(args[1])) checkWritable("open");
    const file = openSync(...args);
    if (isOn(args[0])) open.add(file);
    return file;
  },
  closeSync: (/** @type {number} */ file) => {
    open.delete(file);
    closeSync(file);
  },
  /** @param {number} file @param {string} text @param {any[]} rest */
  writeFileSync(file, text, ...rest) {
    if (!open.has(file)) return writeFileSync(file, text, ...rest);
    checkWritable("write");
    const bytes = Buffer.from(text);
    const possible = Math.min(bytes.length, room());
    writeSync(file, bytes, 0, Math.max(0, possible));
    if (possible < bytes.length) throw failure("ENOSPC", "write");
  },
  renameSync: (/** @type {Parameters<typeof renameSync>} */ ...args) => {
    if (args.some(isOn)) checkWritable("rename");
    renameSync(...args);
  },
  rmSync: (/** @type {Parameters<typeof rmSync>} */ ...args) => {
    if (isOn(args[0])) checkWritable("rm");
    rmSync(...args);
  },
});
syncBuiltinESMExports();
