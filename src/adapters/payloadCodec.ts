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
 * Encrypts all data that Temporal need not read: inputs, results, memos, summaries and failures. Workflow ids, names and
 * search attributes are not encrypted, because they contain only ids and states. Payloads without encryption are read as
 * they are.
 */

const { Payload: PayloadMessage } = temporal.api.common.v1;
const encoding = 'binary/encrypted';
const keyIdField = 'encryption-key-id';
const retryFirstMs = 100;
const retryMaxMs = 2_000;
/** Shorter than the timeout of a workflow task, after which the server assigns the task again. */
const readWithinMs = 5_000;

/** Replaces a payload that can no longer be decrypted. */
const erased = plain('[erased]');
const unreadable = plain('[unreadable]');

/** For the API and for operators: replaces erased payloads by a notice. */
export const readingCodec: PayloadCodec = {
  encode: (payloads, context) => asUnavailable(encodeAll(payloads, context)),
  decode: (payloads, context) => asUnavailable(Promise.all(payloads.map((payload) => openOrTell(payload, context)))),
};

/**
 * For workers. While the database is not available, the decoder waits and then fails the task, so that the server assigns
 * it again. An erased or unreadable payload is an error, because it must not become the input of a workflow.
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
  // Without a shared key, other processes could not decrypt the payloads, nor could this one after a restart.
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

/** Tries again while the database is not available. */
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

/** For the caller, a payload that cannot be encrypted now is like an unavailable Temporal server: it tries again. */
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
