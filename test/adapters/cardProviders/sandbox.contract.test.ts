import { type Sandbox } from '../../../src/adapters/cardProviders/sandbox';
import { sandboxCards, type SandboxCard } from '../../../scripts/paymentSimulator/testCards';
import { accounts } from '../../support/debits';
import { type ContractFault, describeProvider, type ProviderUnderTest } from '../../support/providerContract';
import { control } from '../../support/providerBooks';
import { startSandbox } from '../../support/sandbox';

const numbersBefore: Record<ContractFault, Partial<SandboxCard>> = {
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

describeProvider(
  'sandbox',
  (): Promise<ProviderUnderTest> => {
    const sandbox = startSandbox();
    return Promise.resolve({
      provider: sandbox,
      saveCard: (card) =>
        saveCard(sandbox, {
          outcome: card === 'accepted' ? 'success' : card === 'needs_authentication' ? 'needs_authentication' : card,
        }),
      formToken: 'tok_success',
      answerBank: async (reference, answer) => void (await sandbox.answerAuthentication(reference, answer)),
      saveCardBefore: (fault) => saveCard(sandbox, numbersBefore[fault]),
      bankAccounts: { paid: accounts.paid, failed: accounts.failed, returned: accounts.returned },
      payOut: async (amountMinor, currency) =>
        ((await control('payouts', { amountMinor, currency })) as { reference: string }).reference,
      failPayout: async (reference) => void (await control('failed-payouts', { reference })),
      saveCardBeforeMisconfiguration: () => saveCard(sandbox, { outcome: 'misconfigured' }),
    });
  },
  { answerBank: true, fail: true, debit: true, redirect: true, payOut: true },
);
