// The way back from eigenvectors: x ← Z x by all rotations of a finished group, last to first.
import { LINE, ROW, rowOf, STEP, stepsOf, sweepsOf, VECTOR } from './ql-group';

/** Where the records end. */
function endOfSteps(group: usize, width: i32): usize {
  const sweeps = sweepsOf(group, width);
  let step = stepsOf(group, width);
  for (let k = load<i32>(sweeps); k > 0; k--) {
    const sweep = sweeps + (<usize>k << 3);
    step += <usize>(load<i32>(sweep) - load<i32>(sweep, 4)) * STEP;
  }
  return step;
}

/** The vectors of all lanes. */
export function replayRotations<T>(group: usize, width: i32): void {
  const sweeps = sweepsOf(group, width);
  let step = endOfSteps(group, width);
  for (let k = load<i32>(sweeps); k > 0; k--) {
    const sweep = sweeps + (<usize>k << 3);
    const end = rowOf(group, load<i32>(sweep)) + VECTOR;
    let at = rowOf(group, load<i32>(sweep, 4)) + VECTOR;
    let x0 = v128.load(at), x1 = v128.load(at, 16), x2 = v128.load(at, 32), x3 = v128.load(at, 48);
    for (; at < end; at += ROW) {
      step -= STEP;
      let c = v128.load(step), s = v128.load(step, LINE), y = v128.load(at, ROW);
      v128.store(at, v128.add<T>(v128.mul<T>(c, x0), v128.mul<T>(s, y)));
      x0 = v128.sub<T>(v128.mul<T>(c, y), v128.mul<T>(s, x0));
      c = v128.load(step, 16); s = v128.load(step, LINE + 16); y = v128.load(at, ROW + 16);
      v128.store(at, v128.add<T>(v128.mul<T>(c, x1), v128.mul<T>(s, y)), 16);
      x1 = v128.sub<T>(v128.mul<T>(c, y), v128.mul<T>(s, x1));
      c = v128.load(step, 32); s = v128.load(step, LINE + 32); y = v128.load(at, ROW + 32);
      v128.store(at, v128.add<T>(v128.mul<T>(c, x2), v128.mul<T>(s, y)), 32);
      x2 = v128.sub<T>(v128.mul<T>(c, y), v128.mul<T>(s, x2));
      c = v128.load(step, 48); s = v128.load(step, LINE + 48); y = v128.load(at, ROW + 48);
      v128.store(at, v128.add<T>(v128.mul<T>(c, x3), v128.mul<T>(s, y)), 48);
      x3 = v128.sub<T>(v128.mul<T>(c, y), v128.mul<T>(s, x3));
    }
    v128.store(at, x0); v128.store(at, x1, 16); v128.store(at, x2, 32); v128.store(at, x3, 48);
  }
}

/** Two float64 vectors with the rotations of one lane; their entries lie side by side. */
export function replayLane(group: usize, width: i32, lane: i32, x: usize): void {
  const sweeps = sweepsOf(group, width);
  let step = endOfSteps(group, width) + (<usize>lane << 3);
  for (let k = load<i32>(sweeps); k > 0; k--) {
    const sweep = sweeps + (<usize>k << 3);
    const end = x + (<usize>load<i32>(sweep) << 4);
    let at = x + (<usize>load<i32>(sweep, 4) << 4);
    let lower = v128.load(at);
    for (; at < end; at += 16) {
      step -= STEP;
      const c = v128.load_splat<f64>(step), s = v128.load_splat<f64>(step, LINE), upper = v128.load(at, 16);
      v128.store(at, f64x2.add(f64x2.mul(c, lower), f64x2.mul(s, upper)));
      lower = f64x2.sub(f64x2.mul(c, upper), f64x2.mul(s, lower));
    }
    v128.store(at, lower);
  }
}
