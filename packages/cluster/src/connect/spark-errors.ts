import { GrpcError, grpcStatus } from './grpc.js';

/**
 * Spark did not do what it was asked. The message names what was asked and the kind of error, never a value
 * of the data.
 */
export class SparkError extends Error {
  override readonly name = 'SparkError';
  /** Spark's own name of the condition, such as `PATH_NOT_FOUND`; '' where there is none. */
  readonly condition: string;
  constructor(message: string, condition = '', options?: ErrorOptions) {
    super(message, options);
    this.condition = condition;
  }
}

/**
 * The session is gone: the server was started anew, or forgot it. What was asked can be asked again in a new
 * one.
 */
export class SparkSessionLostError extends SparkError {}

/** The server wants a token, and this is not it. */
export class SparkTokenError extends SparkError {
  readonly kind = 'usage';
}

/**
 * Conditions whose text is about names and places alone. All others may quote a value (a failed cast does),
 * so their text goes nowhere: neither to a person nor to a log.
 */
const harmless =
  /^(PATH_NOT_FOUND|UNRESOLVED_COLUMN|TABLE_OR_VIEW_NOT_FOUND|SCHEMA_NOT_FOUND|REQUIRES_SINGLE_PART_NAMESPACE|CATALOG_NOT_FOUND|DATA_SOURCE_NOT_FOUND|PARSE_SYNTAX_ERROR|UNABLE_TO_INFER_SCHEMA|DATATYPE_MISMATCH|UNSUPPORTED_FEATURE|INVALID_HANDLE|CANNOT_MODIFY_CONFIG)(\.|$)/;

const sessionLost =
  /^INVALID_HANDLE\.(SESSION_NOT_FOUND|SESSION_CLOSED|SESSION_CHANGED|OPERATION_NOT_FOUND|OPERATION_ABANDONED)/;

/** What went wrong when `asked` was asked for. */
export function sparkError(error: unknown, asked: string): Error {
  if (!(error instanceof GrpcError)) return error as Error;
  const condition = /\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]/.exec(error.message)?.[1] ?? '';
  if (error.status === grpcStatus.unauthenticated)
    return new SparkTokenError(
      'The Spark Connect server does not accept this token. Put the right one into HUSHREC_SPARK_TOKEN, or into the address (;token=…).',
    );
  if (sessionLost.test(condition))
    return new SparkSessionLostError(`Spark no longer knows the session of ${asked}.`, condition);
  if (error.status === grpcStatus.unavailable)
    return new SparkSessionLostError(`Spark could not be reached for ${asked}.`, 'UNAVAILABLE');
  const detail = harmless.test(condition) ? ` ${firstSentence(error.message)}` : '';
  return new SparkError(
    `Spark could not do ${asked}${condition === '' ? '' : `: ${condition}`}.${detail} Its own log has the rest.`,
    condition,
  );
}

function firstSentence(text: string): string {
  return text
    .replace(/^.*?\]\s*/s, '')
    .split(/(?<=\.)\s|\n/)[0]
    .slice(0, 300);
}
