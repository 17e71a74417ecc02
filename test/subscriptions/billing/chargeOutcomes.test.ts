import { outcomeOf } from '../../../src/subscriptions/charges/outcomes';

/** What a stored charge says about the payment. */

const charge = { declineReason: null, declineMessage: null, declineClass: null, askedAt: null };

test.each([
  ['paid', { outcome: 'paid' }],
  ['processing', { outcome: 'processing' }],
  ['open', { outcome: 'unknown' }],
  ['declined', { outcome: 'declined', reason: 'declined', message: '', decline: 'soft' }],
] as const)('a charge that is %s: %j', (status, outcome) =>
  expect(outcomeOf({ ...charge, status })).toStrictEqual(outcome),
);

test('a declined charge keeps the reason of the provider', () => {
  const declined = {
    status: 'declined',
    declineReason: 'expired_card',
    declineMessage: 'The card has expired.',
    declineClass: 'hard',
  } as const;
  expect(outcomeOf({ ...charge, ...declined })).toStrictEqual({
    outcome: 'declined',
    reason: 'expired_card',
    message: 'The card has expired.',
    decline: 'hard',
  });
});

test('a payer who must authenticate has been asked when the charge says so, or now', () => {
  const asked = { ...charge, status: 'requires_action' } as const;
  expect(outcomeOf({ ...asked, askedAt: new Date(7) })).toStrictEqual({ outcome: 'requires_action', askedAtMs: 7 });
  const beganMs = Date.now();
  const { askedAtMs } = outcomeOf(asked) as { askedAtMs: number };
  expect(askedAtMs).toBeGreaterThanOrEqual(beganMs);
});
