export const sandboxOutcomes = [
  'success',
  'declined',
  'insufficient_funds',
  'expired_card',
  'needs_authentication',
  'timeout_before_charging',
  'timeout_after_charging',
] as const;
/** What the charges of a card do, each time the same. */
export type SandboxOutcome = (typeof sandboxOutcomes)[number];

export interface SandboxCard {
  number: string;
  outcome: SandboxOutcome;
  description: string;
}

/**
 * The published test cards: the only numbers that the sandbox takes, with any holder, expiry and security code. Those
 * that Stripe publishes too do here what they do there.
 */
export const sandboxCards: readonly SandboxCard[] = [
  { number: '4242424242424242', outcome: 'success', description: 'Every charge succeeds.' },
  { number: '4111111111111111', outcome: 'success', description: 'Every charge succeeds.' },
  { number: '4000000000000002', outcome: 'declined', description: 'The bank declines; a later charge may be tried.' },
  { number: '4000000000009995', outcome: 'insufficient_funds', description: 'Declined: insufficient funds.' },
  { number: '4000000000000069', outcome: 'expired_card', description: 'Declined for good: the card has expired.' },
  {
    number: '4000000000003220',
    outcome: 'needs_authentication',
    description: 'Every charge waits until the customer approves or refuses it on a page of the sandbox.',
  },
  {
    number: '4000000000004087',
    outcome: 'timeout_before_charging',
    description: 'The first try of a charge times out and nothing is charged; the next try succeeds.',
  },
  {
    number: '4000000000005043',
    outcome: 'timeout_after_charging',
    description: 'The first try of a charge times out, yet the card has been charged.',
  },
];
