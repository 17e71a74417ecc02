import { createHmac } from 'node:crypto';
import { type Sandbox } from '../../../src/adapters/cardProviders/sandbox';
import { sandboxCards, type SandboxCard } from '../../../scripts/paymentSimulator/testCards';
import { accounts } from '../../support/debits';
import {
  type ContractCard,
  type ContractFault,
  describeProvider,
  type ProviderUnderTest,
} from '../../support/providerContract';
import { control } from '../../support/providerBooks';
import { type PlayedBank } from '../../support/reportContract';
import { startSandbox } from '../../support/sandbox';
import { decideDispute, dispute, storedNotifications } from '../../support/sandboxDisputes';

const numbersBefore: Record<Exclude<ContractFault, 'charge is limited'>, Partial<SandboxCard>> = {
  'charge fails before the work': { outcome: 'timeout_before_charging' },
  'charge fails after the work': { outcome: 'timeout_after_charging' },
  'refund fails before the work': { outcome: 'success', refundOutcome: 'timeout_before_refunding' },
  'refund fails after the work': { outcome: 'success', refundOutcome: 'timeout_after_refunding' },
};

async function saveCard(sandbox: Sandbox, { outcome, refundOutcome }: Partial<SandboxCard>): Promise<string> {
  const card = sandboxCards.find((one) => one.outcome === outcome && one.refundOutcome === refundOutcome);
  const typed = { holderName: 'Ana Petrova', expiryMonth: 2, expiryYear: 2040, securityCode: '123' };
  const { token } = await sandbox.tokenise({ ...typed, number: card?.number ?? '' });
  return token;
}

const outcomes: Record<ContractCard, SandboxCard['outcome']> = {
  accepted: 'success',
  declined_when_charged: 'declined_when_charged',
  needs_authentication: 'needs_authentication',
  authenticated_once: 'needs_authentication_once',
};

/** A signature as the documents describe it. */
function sign(key: string, body: Buffer, seconds: number): string {
  const digest = createHmac('sha256', key).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${digest}`;
}

const bank: PlayedBank = {
  dispute: (reference) => dispute(reference),
  decide: async (reference, decision) => void (await decideDispute(reference, decision)),
  warn: async (reference) => void (await control('fraud-warnings', { reference })),
  replaceCard: async (token) =>
    void (await control('card-updates', { token, number: '4111111111111111', expiryMonth: 3, expiryYear: 2044 })),
  sent: async () =>
    (await storedNotifications()).map(({ body, signature }) => ({ body: Buffer.from(body), signature })),
  badSignatures: (body) => {
    const seconds = Math.floor(Date.now() / 1000);
    return [sign(process.env['SANDBOX_KEY'] ?? '', body, seconds - 600), sign('another key', body, seconds)];
  },
};

describeProvider(
  'sandbox',
  (): Promise<ProviderUnderTest> => {
    const sandbox = startSandbox();
    return Promise.resolve({
      provider: sandbox,
      saveCard: (card) => saveCard(sandbox, { outcome: outcomes[card] }),
      formToken: 'tok_success',
      answerBank: async (reference, answer) => void (await sandbox.answerAuthentication(reference, answer)),
      createLinkToken: () => Promise.resolve('tok_link'),
      payByWallet: async (reference) => void (await sandbox.answerAuthentication(reference, 'approved')),
      saveCardBefore: async (fault) => {
        if (fault !== 'charge is limited') return saveCard(sandbox, numbersBefore[fault]);
        await control('faults', { kind: 'limited', on: 'charges' });
        return saveCard(sandbox, { outcome: 'success' });
      },
      bank,
      bankAccounts: { paid: accounts.paid, failed: accounts.failed, returned: accounts.returned },
      payOut: async (amountMinor, currency) =>
        ((await control('payouts', { amountMinor, currency })) as { reference: string }).reference,
      failPayout: async (reference) => void (await control('failed-payouts', { reference })),
      saveCardBeforeMisconfiguration: () => saveCard(sandbox, { outcome: 'misconfigured' }),
    });
  },
  {
    answerBank: true,
    fail: true,
    debit: true,
    redirect: true,
    wallets: true,
    payOut: true,
    report: true,
    exactLimits: true,
  },
);
