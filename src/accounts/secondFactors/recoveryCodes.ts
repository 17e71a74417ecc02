import { createHash, randomBytes } from 'node:crypto';
import { type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';

/**
 * Codes for somebody who has lost the authenticator app. A code has 120 random bits, so a plain hash of it cannot be
 * guessed. It can be used once.
 */

const codesMade = 10;
const alphabet = 'ABCDEFGHJKMNPQRSTVWXYZ0123456789';
const letters = 24;

interface Holder {
  id: number;
  merchantId: number;
}

/** Creates new codes. The earlier ones become invalid. */
export async function replaceCodes(inTransaction: Transaction, { id, merchantId }: Holder): Promise<string[]> {
  const codes = Array.from({ length: codesMade }, createCode);
  await execute(inTransaction, 'DELETE FROM recovery_codes WHERE account_id = $1', [id]);
  await execute(
    inTransaction,
    `INSERT INTO recovery_codes (merchant_id, account_id, code_hash)
     SELECT $1, $2, decode(hash, 'hex') FROM unnest($3::text[]) AS hash`,
    [merchantId, id, codes.map((code) => hashOf(code).toString('hex'))],
  );
  return codes;
}

/** Uses a code up. False if it is wrong or already used. */
export async function useCode(inTransaction: Transaction, accountId: number, code: string): Promise<boolean> {
  const used = await execute(
    inTransaction,
    'DELETE FROM recovery_codes WHERE account_id = $1 AND code_hash = $2 RETURNING account_id',
    [accountId, hashOf(code)],
  );
  return used.length > 0;
}

/** Five random bits for each letter, in groups of four: `7Q2M-…`. */
function createCode(): string {
  const text = [...randomBytes(letters)].map((byte) => alphabet.charAt(byte % alphabet.length)).join('');
  return (text.match(/.{4}/g) ?? []).join('-');
}

/** A letter that looks like a digit is read as the digit. */
function hashOf(code: string): Buffer {
  const typed = code
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  return createHash('sha256').update(typed).digest();
}
