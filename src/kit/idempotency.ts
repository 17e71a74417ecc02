import { createHash, createHmac } from 'node:crypto';
import { AppError } from './errors';
import { openWith, sealWith } from './sealing';

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type KeyState =
  { state: 'new' } | { state: 'running' } | { state: 'other_request' } | { state: 'answered'; sealedAnswer: Buffer };

/** Where keys and sealed answers are kept for 24 hours, for all replicas. */
export interface IdempotencyStore {
  claim(scope: string, key: string, requestHash: string): Promise<KeyState>;
  answer(scope: string, key: string, sealedAnswer: Buffer): Promise<void>;
  release(scope: string, key: string): Promise<void>;
}

export interface IdempotentRequest {
  /** Who asks: keys of different callers never meet. */
  scope: string;
  key: string;
  /** Method, path and raw body. */
  fingerprint: string;
}

const keyLengthMax = 255;

/**
 * The first answer to a key is repeated for 24 hours (decisions 1). Answers may hold tokens, and requests passwords:
 * the answer is sealed with a key that only the same request can derive, and the request is kept as an HMAC.
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
    const found = await this.store.claim(request.scope, request.key, requestHash);
    if (found.state === 'running') throw new AppError('request_in_progress', { retryAfterSeconds: 1 });
    if (found.state === 'other_request') throw new AppError('idempotency_key_reused');
    if (found.state === 'answered') return { ...this.open(request, found.sealedAnswer), replayed: true };
    return { ...(await this.runAndStore(request, run)), replayed: false };
  }

  /**
   * A server error is not an answer: the client may try again with the same key. But once the work is done the key stays
   * taken, even when its answer cannot be stored: to free it would be to do the work twice.
   */
  private async runAndStore(request: IdempotentRequest, run: () => Promise<StoredAnswer>): Promise<StoredAnswer> {
    const answer = await run().catch(async (error: unknown) => {
      await this.store.release(request.scope, request.key);
      throw error;
    });
    const sealed = sealWith(this.sealingKey(request), JSON.stringify(answer));
    await this.store.answer(request.scope, request.key, sealed).catch(() => undefined);
    return answer;
  }

  private sealingKey(request: IdempotentRequest): Buffer {
    return createHash('sha256').update(this.secret).update(request.key).update(request.fingerprint).digest();
  }

  private open(request: IdempotentRequest, sealedAnswer: Buffer): StoredAnswer {
    return JSON.parse(openWith(this.sealingKey(request), sealedAnswer)) as StoredAnswer;
  }
}
