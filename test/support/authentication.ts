import { randomUUID } from 'node:crypto';
import { cards } from './factories';

/** A charge of the sandbox that waits for its payer, and a function that asks for its outcome. */
export async function createAuthentication(changes: { description?: string; returnUrl?: string } = {}) {
  const { sandbox } = await import('../../src/adapters/cardProviders/index.js');
  const { token } = await sandbox.tokenise({
    number: cards.needsAuthentication,
    holderName: 'Ana Petrova',
    expiryMonth: 2,
    expiryYear: 2040,
    securityCode: '123',
  });
  const idempotencyKey = randomUUID();
  const charge = { idempotencyKey, token, amountMinor: 999, currency: 'EUR', description: 'Monthly pass', ...changes };
  const result = await sandbox.charge(charge);
  if (result.outcome !== 'requires_action') throw new Error(`expected requires_action, not ${result.outcome}`);
  const { reference, redirectUrl } = result;
  return {
    reference,
    redirectUrl,
    outcome: async () => (await sandbox.lookUpCharge(idempotencyKey)).outcome,
  };
}
