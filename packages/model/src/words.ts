// @beta: certificates and guarantees in sentences for people.

export {
  certificateText,
  isWeakDelta,
  pluginWords,
  strengthWords,
  trustWords,
  weakWords,
} from './certificate-text.js';
export {
  deltaWords,
  exceptionSentence,
  guaranteeSentences,
  paperSentence,
  percentWords,
  posteriorOf,
  promiseParts,
  promiseSentence,
  protectionSentence,
  shownEpsilon,
  strengthOf,
  strengthSentence,
} from './guarantee-words.js';
export { sameForAllWords } from './item-model.js';
