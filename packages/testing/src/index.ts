// @internal: for the packages beside this one, not an interface (docs/policy.md).

export { coinsOf, lineCoinsOf } from './coins.js';
export { type Fault, FaultyDisk, faults, PowerLoss } from './faulty-disk.js';
export { freePort } from './free-port.js';
export {
  adversarialPeople,
  arbitraryPeople,
  frobeniusDistance,
  l2Distance,
  type Person,
  ratingsOf,
  without,
  withoutRow,
} from './neighbours.js';
export { startPostgres, type TestPostgres, whyNoPostgres } from './postgres.js';
export { smallRatings, withoutRating, withRatingChanged } from './rating-neighbours.js';
export { blocksOf } from './rows-in-blocks.js';
export { methodLoss, methodNoise } from './scripted-pure-loss.js';
export { whitenedChange } from './scripted-recorder.js';
