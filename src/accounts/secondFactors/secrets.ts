import { seal, unseal } from '../../adapters/sealing';
import { type Holder } from './secondFactors.model';

// The secret of one account cannot be decrypted as that of another.
const purposeOf = (accountId: number) => `second factor of account ${accountId}`;

export function sealSecret({ id }: Holder, secret: string): Buffer {
  return seal(purposeOf(id), secret);
}

/**
 * Throws if the secret was encrypted with another ENCRYPTION_KEY: the account is never signed in without its factor.
 */
export function openSecret({ id }: Pick<Holder, 'id'>, sealed: Buffer): string {
  const secret = unseal(purposeOf(id), sealed);
  if (secret === undefined)
    throw new Error(`the second factor of account ${id} was sealed with another ENCRYPTION_KEY`);
  return secret;
}
