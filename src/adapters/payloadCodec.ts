import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataConverter, type Payload, type PayloadCodec, type SerializationContext } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { status } from '@grpc/grpc-js';
import { config } from '../config';
import { openBytesWith, sealWith } from '../kit/sealing';
import { logger } from './logger';
import { keyById, keyOfRun, type LivePayloadKey, rememberKeyOfRun } from './payloadKeys';

/**
 * Seals everything that goes to Temporal and is not needed there in the clear: inputs, results, memos, summaries, failures.
 * Workflow ids, names and search attributes stay readable: they hold ids and states only. What was written plain, before
 * there was a codec, is read as it is.
 */

const { Payload: PayloadMessage } = temporal.api.common.v1;
const encoding = 'binary/encrypted';
const keyIdField = 'encryption-key-id';
const retryFirstMs = 100;
const retryMaxMs = 2_000;
/** Shorter than the time that a workflow task has; past it, the server gives the task out again. */
const readWithinMs = 5_000;

/** In place of what can no longer be read. */
const erased = plain('[erased]');
const unreadable = plain('[unreadable]');

/** What reads for people, or to answer a request: says so where something was erased. */
export const readingCodec: PayloadCodec = {
  encode: (payloads, context) => asUnavailable(encodeAll(payloads, context)),
  decode: (payloads, context) => asUnavailable(Promise.all(payloads.map((payload) => openOrTell(payload, context)))),
};

/**
 * What workflows live by. A lost database is waited for, then the task is given back to the server; what was erased, or
 * cannot be read, must not be taken for an input either.
 */
const workingCodec: PayloadCodec = {
  encode: (payloads, context) => insist(() => encodeAll(payloads, context), Infinity),
  decode: (payloads, context) =>
    insist(() => Promise.all(payloads.map((payload) => open(payload, context))), readWithinMs),
};

const failureConverterPath = join(__dirname, '..', '..', 'workflows', 'failureConverter');
export const clientDataConverter: DataConverter = { failureConverterPath, payloadCodecs: [readingCodec] };
export const workerDataConverter: DataConverter = { failureConverterPath, payloadCodecs: [workingCodec] };

class Unreadable extends Error {
  constructor(readonly isErased: boolean) {
    super(isErased ? 'the key of this payload was destroyed' : 'sealed with another key, or changed since');
  }
}

async function encodeAll(payloads: Payload[], context: SerializationContext | undefined): Promise<Payload[]> {
  // A key of this process alone would leave the others, and itself after a restart, with what they cannot read.
  if (!config.ENCRYPTION_KEY_IS_SHARED || payloads.length === 0) return payloads;
  const key = await keyOfRun(context?.workflowId);
  return payloads.map((payload) => sealPayload(payload, key));
}

function sealPayload(payload: Payload, { id, secret }: LivePayloadKey): Payload {
  return {
    metadata: { encoding: Buffer.from(encoding), [keyIdField]: Buffer.from(id) },
    data: sealWith(secret, PayloadMessage.encode(payload).finish()),
  };
}

async function openOrTell(payload: Payload, context: SerializationContext | undefined): Promise<Payload> {
  try {
    return await open(payload, context);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return error.isErased ? erased : unreadable;
  }
}

async function open(payload: Payload, context: SerializationContext | undefined): Promise<Payload> {
  if (text(payload.metadata?.['encoding']) !== encoding) return payload;
  const key = await keyById(text(payload.metadata?.[keyIdField]));
  if (key.secret === undefined) throw new Unreadable(true);
  if (context?.workflowId !== undefined) rememberKeyOfRun(context.workflowId, key);
  try {
    return PayloadMessage.decode(openBytesWith(key.secret, payload.data ?? new Uint8Array()));
  } catch {
    throw new Unreadable(false);
  }
}

/** Tries again while the database is away. */
async function insist<T>(work: () => Promise<T>, withinMs: number): Promise<T> {
  const givesUpAt = Date.now() + withinMs;
  for (let waitMs = retryFirstMs; ; waitMs = Math.min(waitMs * 2, retryMaxMs)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Unreadable || Date.now() + waitMs > givesUpAt) throw error;
      logger.warn({ reason: (error as Error).message }, 'a payload key cannot be read yet');
      await sleep(waitMs);
    }
  }
}

/** For whoever starts or signals a workflow this is as if Temporal were away: to be tried again, and nobody's refusal. */
async function asUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw Object.assign(new Error('a payload key cannot be read', { cause }), { code: status.UNAVAILABLE });
  }
}

function plain(words: string): Payload {
  return { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(words)) };
}

function text(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}
