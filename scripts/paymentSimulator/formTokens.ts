import { randomBytes } from 'node:crypto';
import { WireCard } from '../../src/adapters/cardProviders/sandboxWire';
import { timeNow, type Books } from './books';
import { InvalidField } from './refusal';

/** As at Stripe, a token of the form is used within 15 minutes. */
const usableMs = 15 * 60_000;

/** The tokens of the payment form, in the ledger of the sandbox. Each becomes a card once. */
export function createFormTokens({ query }: Books) {
  function add(card: WireCard): string {
    const token = `ctoken_${randomBytes(16).toString('hex')}`;
    const values = [token, JSON.stringify(card), timeNow()];
    query('INSERT INTO form_tokens (token, card, created_at) VALUES ($1, $2, $3)', values);
    return token;
  }

  /** Throws `InvalidField` for a token that is unknown, expired or used. */
  function use(token: string): WireCard {
    const [known] = query('SELECT used_at FROM form_tokens WHERE token = $1', [token]);
    if (!known) throw new InvalidField('payment_token', 'The payment_token is not one of this account.');
    if (known['used_at'] !== null) throw new InvalidField('payment_token', 'The payment_token has been used.');
    const [row] = query(
      'UPDATE form_tokens SET used_at = $2 WHERE token = $1 AND used_at IS NULL AND created_at > $3 RETURNING card',
      [token, timeNow(), new Date(Date.now() - usableMs).toISOString()],
    );
    if (!row) throw new InvalidField('payment_token', 'The payment_token has expired.');
    return WireCard.parse(JSON.parse(String(row['card'])));
  }

  /** All tokens of now are older than 15 minutes. */
  const expire = () => query('UPDATE form_tokens SET created_at = $1', [new Date(0).toISOString()]);

  return { add, use, expire };
}
