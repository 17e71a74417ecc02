import { createHash, createHmac } from 'node:crypto';
import { AppError } from './errors';
import { openWith, sealWith } from './sealing';

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The outcome is not known yet. The answer is sent once and not stored. */
  isPending?: true;
}

export interface ClaimedKey {
  scope: string;
  key: string;
  requestHash: string;
}

/** `done`: this request has done the work and has its answer. */
export type KeyState = { state: 'done' | 'running' | 'other_request' } | { state: 'answered'; sealedAnswer: Buffer };

/** Stores keys and sealed answers for 24 hours, for all replicas. */
export interface IdempotencyStore {
  /**
   * Runs the work unless the key is known. The writes of the work, the key and the sealed answer are committed together
   * or not at all. If the work returns no answer, the key is stored without one, and the same request runs it again.
   */
  once(claim: ClaimedKey, work: () => Promise<Buffer | undefined>): Promise<KeyState>;
}

export interface IdempotentRequest {
  /** The caller: keys of different callers are independent. */
  scope: string;
  key: string;
  /** Method, path and raw body. */
  fingerprint: string;
}

const keyLengthMax = 255;

/**
 * The first success of a key is stored and repeated for 24 hours, so an effect happens once. A refusal or a server error
 * is not stored and has no effect: the same request with the same key is decided again. A pending answer is not stored
 * either: a later request with the same key reads the outcome. Answers may contain tokens, and requests may contain passwords. So
 * the answer is encrypted with a key that only the same request can derive, and the request is stored as an HMAC.
 */
export class Idempotency {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly secret: Buffer,
  ) {}

  async once(
    request: IdempotentRequest,
    run: () => Promise<StoredAnswer>,
  ): Promise<StoredAnswer & { replayed: boolean }> {
    if (request.key.length > keyLengthMax)
      throw new AppError('invalid_input', {
        errors: { 'Idempotency-Key': `The Idempotency-Key must be at most ${keyLengthMax} characters.` },
      });
    const requestHash = createHmac('sha256', this.secret).update(request.fingerprint).digest('hex');
    let answer: StoredAnswer | undefined;
    const found = await this.store.once({ scope: request.scope, key: request.key, requestHash }, async () => {
      answer = await run();
      return answer.isPending ? undefined : sealWith(this.sealingKey(request), JSON.stringify(answer));
    });
    if (found.state === 'running') throw new AppError('request_in_progress', { retryAfterSeconds: 1 });
    if (found.state === 'other_request') throw new AppError('idempotency_key_reused');
    if (found.state === 'answered') return { ...this.open(request, found.sealedAnswer), replayed: true };
    if (!answer) throw new Error('the work was not done');
    return { ...answer, replayed: false };
  }

  private sealingKey(request: IdempotentRequest): Buffer {
    return createHash('sha256').update(this.secret).update(request.key).update(request.fingerprint).digest();
  }

  private open(request: IdempotentRequest, sealedAnswer: Buffer): StoredAnswer {
    return JSON.parse(openWith(this.sealingKey(request), sealedAnswer)) as StoredAnswer;
  }
}
