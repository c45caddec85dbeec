import type { Experiment } from '../../harness/experiment.js';
import { ablation } from './ablation.js';
import { cost } from './cost.js';
import { countsForHead } from './counts-for-head.js';
import { countsOrVectors } from './counts-or-vectors.js';
import { defaults } from './defaults.js';
import { directions } from './directions.js';
import { everySet } from './every-set.js';
import { familyFloors } from './family-floors.js';
import { filmFacts } from './film-facts.js';
import { floors } from './floors.js';
import { frontier, frontierSmall } from './frontier.js';
import { frontierChoices } from './frontier-choices.js';
import { frontierFilmFacts } from './frontier-film-facts.js';
import { headRule } from './head-rule.js';
import { longHistories } from './long-histories.js';
import { numbers } from './numbers.js';
import { otherShapes } from './other-shapes.js';
import { refreshYear } from './refresh-year.js';
import { shortHistories } from './short-histories.js';
import { unseen } from './unseen.js';

/** The method of this project. */
export const hushExperiments: readonly Experiment[] = [
  frontier,
  frontierSmall,
  everySet,
  floors,
  familyFloors,
  otherShapes,
  unseen,
  filmFacts,
  frontierFilmFacts,
  frontierChoices,
  ablation,
  defaults,
  numbers,
  headRule,
  countsForHead,
  countsOrVectors,
  shortHistories,
  longHistories,
  directions,
  cost,
  refreshYear,
];
