import { seal, unseal } from '../../adapters/sealing';
import { baseUrl } from '../../adapters/settings';

/**
 * Links to our page where a payer confirms a charge, or a card that is set up. A link gives access without a password,
 * and pays for one billing cycle at most.
 */

const sealingPurpose = 'payment confirmation';

export type Linked = { chargeId: number } | { setupId: number };

export const confirmationUrl = (chargeId: number) => linkTo(String(chargeId));

export const setupLink = (setupId: number) => linkTo(`setup:${setupId}`);

function linkTo(text: string): string {
  return `${baseUrl}/payments/confirm/${seal(sealingPurpose, text).toString('base64url')}`;
}

/** The charge or set-up of a link. Undefined if the link is not valid. */
export function readLink(token: string): Linked | undefined {
  const text = unseal(sealingPurpose, Buffer.from(token, 'base64url'));
  if (text === undefined) return undefined;
  const [, setupId] = /^setup:(\d+)$/.exec(text) ?? [];
  return setupId === undefined ? { chargeId: Number(text) } : { setupId: Number(setupId) };
}
