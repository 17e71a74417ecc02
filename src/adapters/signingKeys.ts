import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { logger } from './logger';

/** The content of a key file, as `JWT_KEYS` and `npm run keys:rotate` write it: newest first. */
const PrivateJwks = z.array(
  z.looseObject({
    kid: z.string().min(1),
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    d: z.string(),
    /**
     * Unix seconds. Before this time the key only verifies, so that every replica knows it before one signs with it.
     */
    signs_from: z.number().optional(),
  }),
);

export interface SigningKey {
  kid: string;
  signsFromSeconds: number;
  /** A KeyObject, because a text is parsed at every call, which is four times slower. */
  privateKey: KeyObject;
  publicKey: KeyObject;
}

/** How often a replica checks the file for changes if no unknown key makes it check earlier. */
const lookEveryMs = 1_000;

/** The keys that verify, newest first, and the key that signs. The keys in a file may change while the process runs. */
export class SigningKeys {
  private keys: readonly SigningKey[];
  private version = '';
  private lookedAtMs = 0;

  constructor(
    text: string | undefined,
    private readonly file: string | undefined,
    private readonly onChange: () => void = () => undefined,
  ) {
    this.keys = text === undefined ? [ownKey()] : parseKeys(text);
  }

  /** Called before a cached verification is used again, because its key may have been removed. */
  keepCurrent(): void {
    if (Date.now() - this.lookedAtMs >= lookEveryMs) this.look();
  }

  all(): readonly SigningKey[] {
    this.keepCurrent();
    return this.keys;
  }

  find(kid: string | undefined): SigningKey | undefined {
    const known = this.all().find((key) => key.kid === kid);
    if (known) return known;
    // Another process may have started to sign with a key that was added a moment ago.
    this.look();
    return this.keys.find((key) => key.kid === kid);
  }

  signing(): SigningKey {
    const nowSeconds = Date.now() / 1000;
    const keys = this.all();
    const key = keys.find(({ signsFromSeconds }) => signsFromSeconds <= nowSeconds) ?? keys.at(-1);
    if (!key) throw new Error('JWT_KEYS: needs at least one key');
    return key;
  }

  /** Reads the file again if it has changed. A file that cannot be read leaves the keys unchanged. */
  private look(): void {
    this.lookedAtMs = Date.now();
    if (this.file === undefined) return;
    try {
      const version = versionOf(this.file);
      if (version === this.version) return;
      this.keys = parseKeys(readFileSync(this.file, 'utf8'));
      this.version = version;
      this.onChange();
      logger.info({ kids: this.keys.map(({ kid }) => kid) }, 'signing keys were read');
    } catch (error) {
      logger.error({ reason: (error as Error).message }, 'the signing keys cannot be read again');
    }
  }
}

function parseKeys(text: string): SigningKey[] {
  const keys = readKeys(text);
  if (keys.length === 0) throw new Error('JWT_KEYS: needs at least one key');
  return keys;
}

function readKeys(text: string): SigningKey[] {
  try {
    return PrivateJwks.parse(JSON.parse(text)).map((jwk) => {
      const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
      const publicKey = createPublicKey(privateKey);
      return { kid: jwk.kid, signsFromSeconds: jwk.signs_from ?? 0, privateKey, publicKey };
    });
  } catch {
    throw new Error('JWT_KEYS: must be a JSON array of private P-256 JWKs, each with a kid');
  }
}

/** Without settings, a process in the test environment signs with a key of its own. */
function ownKey(): SigningKey {
  return { kid: 'process', signsFromSeconds: 0, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
}

/** A rotation replaces the file by renaming, so the new file has another inode and time. */
function versionOf(file: string): string {
  const { ino, mtimeMs, size } = statSync(file);
  return `${ino}:${mtimeMs}:${size}`;
}
