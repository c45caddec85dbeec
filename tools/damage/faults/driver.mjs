// One operation under kinds of faults, one after the other, in a process in front of whose C library
// faulty-libc.c stands: the n-th call fails, for n = from (then 1), from + step … until the operation passes.
// Tells the parent before and after each point.
import { mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomOf } from '../random.mjs';
import { operations } from './operations.mjs';
import { afterPowerLoss, chancesOf, readRecord, restore, snapshotOf } from './power-loss.mjs';

const [name, kinds, from, step] = process.argv.slice(2);
const statesPerLoss = 5;
const operation = operations.find((each) => each.name === name);
const place = mkdtempSync(join(tmpdir(), 'hushrec-faults-'));
const root = join(place, 'root');
const tell = (message) => new Promise((done) => process.send(message, done));

/** Speaks to the library by a name that cannot be opened; gives the error's code. */
function order(what) {
  try {
    return openSync(`/hushrec-faults/${what}`);
  } catch (error) {
    return error.code;
  }
}

/** Whether the power is off: what a process says from then on, in truth it never said. */
const isDead = () => order('dead') === 'EIO';

/** Runs the operation; whether it said that it is done, or what it said instead. */
async function attempt(told) {
  try {
    await operation.run(root, { push: (what) => isDead() || told.push(what) });
    return { isDone: !isDead() };
  } catch (error) {
    return { isDone: false, error };
  }
}

async function check(where, outcome, told) {
  try {
    await operation.check(root, { ...outcome, told });
  } catch (error) {
    return `${where}: ${error.message.slice(0, 300)}`;
  }
  return undefined;
}

/** The next command works, or says what to do. */
async function again(where) {
  try {
    await operation.again(root);
  } catch (error) {
    return `${where}, then again: ${error.message.slice(0, 300)}`;
  }
  return undefined;
}

try {
  mkdirSync(root);
  process.chdir(place);
  await operation.prepare(root);
  const prepared = snapshotOf(root);
  for (const kind of kinds) await allPointsOf(kind, prepared, kind === kinds[0] ? Number(from) : 1);
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.disconnect();

async function allPointsOf(kind, prepared, first) {
  for (let at = first; ; at += Number(step)) {
    restore(root, prepared);
    const before = snapshotOf(root);
    await tell({ begin: at, kind });
    const told = [];
    order(`arm/${kind}/${at}${root}`);
    const outcome = await attempt(told);
    order('disarm');
    const calls = readRecord(process.env.HUSHREC_FAULTS_RECORD);
    const failed = calls.find(({ what }) => what === '!');
    const faults = [];
    const where = failed && `${failed.path} ${failed.to.slice(root.length).replace(/[0-9a-f]{12}/, '…')}`;
    if (failed === undefined) {
      if (!outcome.isDone) faults.push(`failed without a fault: ${outcome.error?.message}`);
      faults.push(await check('undisturbed', outcome, told));
    } else if (kind !== 'p') {
      faults.push(operation.words?.(outcome), await check(where, outcome, told), await again(where));
    } else
      for (let state = 0; state < statesPerLoss; state++) {
        afterPowerLoss(root, before, calls, chancesOf(state, randomOf(at, state)));
        const which = `${where}, state ${state}`;
        faults.push(await check(which, outcome, told), await again(which));
      }
    await tell({ end: at, kind, failed: failed !== undefined, faults: faults.filter(Boolean) });
    if (failed === undefined) return;
  }
}
