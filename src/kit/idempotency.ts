import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { AppError } from './errors';

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

  /** A server error is not an answer: the client may try again with the same key. */
  private async runAndStore(request: IdempotentRequest, run: () => Promise<StoredAnswer>): Promise<StoredAnswer> {
    try {
      const answer = await run();
      await this.store.answer(request.scope, request.key, this.seal(request, answer));
      return answer;
    } catch (error) {
      await this.store.release(request.scope, request.key);
      throw error;
    }
  }

  private sealingKey(request: IdempotentRequest): Buffer {
    return createHash('sha256').update(this.secret).update(request.key).update(request.fingerprint).digest();
  }

  private seal(request: IdempotentRequest, answer: StoredAnswer): Buffer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.sealingKey(request), nonce);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  private open(request: IdempotentRequest, sealed: Buffer): StoredAnswer {
    const decipher = createDecipheriv('aes-256-gcm', this.sealingKey(request), sealed.subarray(0, 12));
    decipher.setAuthTag(sealed.subarray(12, 28));
    const text = Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
    return JSON.parse(text) as StoredAnswer;
  }
}
