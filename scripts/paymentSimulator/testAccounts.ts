export const debitOutcomes = [
  'debit_paid',
  'debit_failed',
  'debit_closed',
  'debit_returned',
  'debit_failed_at_renewal',
  'debit_failed_once_at_renewal',
  'debit_returned_once_at_renewal',
] as const;
/** The outcome of an account's debits. */
export type DebitOutcome = (typeof debitOutcomes)[number];

export interface SandboxAccount {
  iban: string;
  outcome: DebitOutcome;
  description: string;
}

/**
 * The published test bank accounts. Banks decide after five days of the merchant's clock. The first five are published by
 * Stripe as well, and end as they do there.
 */
export const sandboxAccounts: readonly SandboxAccount[] = [
  { iban: 'DE89370400440532013000', outcome: 'debit_paid', description: 'Every debit is paid.' },
  { iban: 'DE08370400440532013003', outcome: 'debit_paid', description: 'Every debit is paid.' },
  { iban: 'DE62370400440532013001', outcome: 'debit_failed', description: 'Every debit fails: insufficient funds.' },
  { iban: 'DE78370400440532013004', outcome: 'debit_closed', description: 'Every debit fails: the account is closed.' },
  {
    iban: 'DE35370400440532013002',
    outcome: 'debit_returned',
    description: 'Every debit is paid, and the payer takes the money back ten days later.',
  },
  {
    iban: 'DE51370400440532013005',
    outcome: 'debit_failed_at_renewal',
    description: 'The first debit is paid; every later one fails.',
  },
  {
    iban: 'DE24370400440532013006',
    outcome: 'debit_failed_once_at_renewal',
    description: 'The first debit is paid, the second fails, every later one is paid.',
  },
  {
    iban: 'DE94370400440532013007',
    outcome: 'debit_returned_once_at_renewal',
    description: 'Every debit is paid, and the payer takes the money of the second one back ten days later.',
  },
];
