import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { declineReasons, type DeclineReason } from '../../src/adapters/cardProviders/provider';
import { type Books } from './books';
import { withReference } from './ledger';

const SetupRow = z.object({
  reference: z.string(),
  token: z.string(),
  description: z.string(),
  status: z.enum(['verified', 'requires_action', 'declined']),
  decline_reason: z.enum(declineReasons).nullable(),
  return_url: z.string().nullable(),
});

export type SandboxSetup = z.output<typeof SetupRow>;

/** The cards that the sandbox was asked to save without a charge. */
export function createSetups({ query }: Books) {
  /** `mustAuthenticate`: the bank wants the payer to authenticate. `isOnPage`: the payer agrees on a page, without a card. */
  function add(of: { token: string; returnUrl: string | undefined; mustAuthenticate: boolean; isOnPage?: true }) {
    // Unguessable, because anyone who knows it may answer the authentication.
    const reference = `seti_${randomBytes(16).toString('hex')}`;
    const rows = query(
      `INSERT INTO setups (reference, token, description, status, return_url)
       SELECT $1, token, coalesce($5, 'Card ending in ' || last_four), $3, $4 FROM cards WHERE token = $2 RETURNING *`,
      [
        reference,
        of.token,
        of.mustAuthenticate ? 'requires_action' : 'verified',
        of.returnUrl === undefined ? null : withReference(of.returnUrl, 'setup_intent', reference),
        of.isOnPage ? 'Later payments' : null,
      ],
    );
    return SetupRow.parse(rows[0]);
  }

  function find(reference: string): SandboxSetup | undefined {
    const rows = query('SELECT * FROM setups WHERE reference = $1', [reference]);
    return rows[0] && SetupRow.parse(rows[0]);
  }

  /** Changes only a set-up that still waits: the first answer is final. */
  function settle(reference: string, declineReason: DeclineReason | null): boolean {
    const rows = query(
      `UPDATE setups SET status = CASE WHEN $2 IS NULL THEN 'verified' ELSE 'declined' END, decline_reason = $2
       WHERE reference = $1 AND status = 'requires_action' RETURNING reference`,
      [reference, declineReason],
    );
    return rows.length > 0;
  }

  return { add, find, settle };
}
