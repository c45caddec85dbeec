import type { Experiment } from '../experiment.js';
import { ablation } from './ablation.js';
import { choiceRule } from './choice-rule.js';
import { cost } from './cost.js';
import { defaults } from './defaults.js';
import { directions } from './directions.js';
import { everySet } from './every-set.js';
import { filmFacts } from './film-facts.js';
import { floors } from './floors.js';
import { frontier, frontierSmall } from './frontier.js';
import { frontierChoices } from './frontier-choices.js';
import { frontierFilmFacts } from './frontier-film-facts.js';
import { headRule } from './head-rule.js';
import { leftOut } from './left-out.js';
import { longHistories } from './long-histories.js';
import { otherShapes } from './other-shapes.js';
import { rankRule } from './rank-rule.js';
import { shortHistories } from './short-histories.js';

/** The method of this project. */
export const hushExperiments: readonly Experiment[] = [
  frontier,
  frontierSmall,
  everySet,
  floors,
  otherShapes,
  filmFacts,
  frontierFilmFacts,
  frontierChoices,
  ablation,
  defaults,
  rankRule,
  choiceRule,
  headRule,
  shortHistories,
  longHistories,
  directions,
  leftOut,
  cost,
];
