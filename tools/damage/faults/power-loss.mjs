// What a disk may hold when it comes back after the power failed, put together from the record of calls that
// faulty-libc.c made. Durable is what POSIX promises and no more: bytes of a file that was synced afterwards,
// names in a folder that was synced afterwards.
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Everything below a folder: for each name its inode, and the bytes of files. */
export function snapshotOf(root) {
  const seen = [];
  const walk = (path) => {
    const info = lstatSync(path);
    if (info.isDirectory()) {
      seen.push({ path, inode: info.ino });
      for (const name of readdirSync(path).sort()) walk(join(path, name));
    } else seen.push({ path, inode: info.ino, bytes: readFileSync(path) });
  };
  walk(root);
  return seen;
}

/** Puts a snapshot in the place of what is there. */
export function restore(root, snapshot) {
  rmSync(root, { recursive: true, force: true });
  for (const { path, bytes } of snapshot)
    if (bytes === undefined) mkdirSync(path, { recursive: true });
    else writeFileSync(path, bytes);
}

/** The calls of a record. `!` is the one that failed, with its name and path. */
export function readRecord(file) {
  const bytes = readFileSync(file);
  const calls = [];
  for (let at = 0; at < bytes.length; ) {
    const [first, second, length] = [17, 21, 25].map((offset) => bytes.readUInt32LE(at + offset));
    const text = at + 29;
    calls.push({
      what: String.fromCharCode(bytes[at]),
      inode: Number(bytes.readBigUInt64LE(at + 1)),
      number: Number(bytes.readBigUInt64LE(at + 9)),
      path: bytes.toString('utf8', text, text + first),
      to: bytes.toString('utf8', text + first, text + first + second),
      bytes: bytes.subarray(text + first + second, text + first + second + length),
    });
    at = text + first + second + length;
  }
  return calls;
}

/**
 * A file or folder, by what it is and not by how it is called. Folders: entries as they were and, in a second
 * map, as they survive.
 */
const newFile = (bytes = Buffer.alloc(0)) => ({ bytes, writes: [] });
const newFolder = () => ({ entries: new Map(), surviving: new Map() });

/**
 * One of the states in which the disk may be. `chances.keeps()` says of each call that is not durable whether
 * it reached the disk, `chances.tears()` how much of such a write did: all, half, or zeros of its length.
 */
export function afterPowerLoss(root, before, calls, chances) {
  const { top, byInode } = treeOf(root, before);
  const { changes, lastSync } = replayed(root, top, byInode, calls);
  const isDurable = (node, index) => (lastSync.get(node) ?? -1) > index;
  for (const change of changes)
    if (isDurable(change.toParent ?? change.parent, change.index) || chances.keeps()) survive(change);
  rmSync(root, { recursive: true, force: true });
  put(root, top, isDurable, chances);
}

/** Files and folders as they were before the first call, all of them durable. */
function treeOf(root, before) {
  const top = newFolder();
  const byInode = new Map();
  for (const { path, inode, bytes } of before) {
    const node = path === root ? top : bytes === undefined ? newFolder() : newFile(bytes);
    byInode.set(inode, node);
    if (node === top) continue;
    const parent = find(root, top, dirname(path));
    parent.entries.set(basename(path), node);
    parent.surviving.set(basename(path), node);
  }
  return { top, byInode };
}

function find(root, top, path) {
  let node = top;
  for (const name of path.slice(root.length).split('/').filter(Boolean)) node = node?.entries?.get(name);
  return node;
}

/** As it went: which file or folder each call was about, and when each was synced last. */
function replayed(root, top, byInode, calls) {
  const changes = [];
  const lastSync = new Map();
  calls.forEach((call, index) => {
    const { what, path, to } = call;
    const parent = find(root, top, dirname(path));
    const name = basename(path);
    const change = { index, what, parent, name };
    switch (what) {
      case 'c': {
        change.node = newFile();
        byInode.set(call.inode, change.node);
        parent.entries.set(name, change.node);
        break;
      }
      case 'm':
        change.node = newFolder();
        parent.entries.set(name, change.node);
        break;
      case 'w':
      case 't':
        byInode.get(call.inode)?.writes.push({ ...call, index });
        return;
      case 's': {
        const synced = find(root, top, path);
        lastSync.set(synced?.entries ? synced : byInode.get(call.inode), index);
        return;
      }
      case 'r':
      case 'l':
        Object.assign(change, {
          node: parent.entries.get(name),
          toParent: find(root, top, dirname(to)),
          toName: basename(to),
        });
        if (what === 'r') parent.entries.delete(name);
        change.toParent.entries.set(change.toName, change.node);
        break;
      case 'u':
      case 'd':
        change.node = parent.entries.get(name);
        parent.entries.delete(name);
        break;
      default:
        return;
    }
    changes.push(change);
  });
  return { changes, lastSync };
}

/** A change of names that reached the disk. */
function survive({ what, parent, name, node, toParent, toName }) {
  if (what === 'c' || what === 'm') parent.surviving.set(name, node);
  else if (parent.surviving.get(name) !== node) return;
  else if (what === 'u' || what === 'd') parent.surviving.delete(name);
  // A folder with something in it is never replaced by a rename.
  else if ((toParent.surviving.get(toName)?.surviving?.size ?? 0) === 0) {
    if (what === 'r') parent.surviving.delete(name);
    toParent.surviving.set(toName, node);
  }
}

/** Writes what survives of a file or folder. */
function put(path, node, isDurable, chances) {
  if (node.surviving === undefined) {
    const bytes = survivingBytes(node, (index) => isDurable(node, index), chances);
    writeFileSync(path, bytes);
    return;
  }
  mkdirSync(path, { recursive: true });
  for (const [name, inner] of node.surviving) put(join(path, name), inner, isDurable, chances);
}

function survivingBytes({ bytes, writes }, isDurable, chances) {
  let content = Buffer.from(bytes);
  for (const { what, number, bytes: written, index } of writes) {
    const isSafe = isDurable(index);
    if (!isSafe && !chances.keeps()) continue;
    if (what === 't') {
      content = number <= content.length ? content.subarray(0, number) : padded(content, number);
      continue;
    }
    const tear = isSafe ? 'all' : chances.tears();
    const part =
      tear === 'half'
        ? written.subarray(0, written.length >> 1)
        : // Zeros are what a file holds where it grew and its bytes did not arrive; what was there before is not zeroed.
          tear === 'zeros' && number >= content.length
          ? Buffer.alloc(written.length)
          : written;
    content = padded(content, number + part.length);
    part.copy(content, number);
  }
  return content;
}

function padded(content, length) {
  const copy = Buffer.alloc(Math.max(length, content.length));
  content.copy(copy);
  return copy;
}

/** Nothing that is not durable survives; everything does; or each call by chance, some of the writes torn. */
export function chancesOf(state, random) {
  if (state === 0) return { keeps: () => false, tears: () => 'all' };
  if (state === 1) return { keeps: () => true, tears: () => 'all' };
  return {
    keeps: () => random.chance(0.6),
    tears: () => random.pick(['all', 'all', 'half', 'zeros']),
  };
}
