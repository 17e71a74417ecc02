import { renderScreen } from '../../scripts/launcher/screen';
import { sandboxAccounts } from '../../scripts/paymentSimulator/testAccounts';
import { sandboxCards } from '../../scripts/paymentSimulator/testCards';
import { config } from '../../src/config';

const running = {
  temporalUiUrl: undefined,
  storeSimulatorUrl: undefined,
  paymentSimulatorUrl: undefined,
  logFolder: '.data/logs',
};
const demo = {
  merchantUuid: '5c5f0b3e-7a0e-4f6e-9a64-0d3a4c1de001',
  itemId: 7,
  monthlyFeeId: 11,
  yearlyFeeId: 12,
  merchant: { username: 'demo@example.org', password: 'demo-merchant-2024' },
  consumer: { username: 'viewer@example.org', password: 'demo-viewer-2024' },
};
const addressOf = (path: string) => `${config.BASE_URL}${path}`;

test('the screen of a start leads to every page: paywall and portal of the sample merchant, console, reference', () => {
  const screen = renderScreen({ ...running, demo });
  for (const path of [`/paywall/${demo.merchantUuid}/7`, `/portal/${demo.merchantUuid}`, '/console', '/docs'])
    expect(screen.split(/\s+/)).toContain(addressOf(path));
});

test('without the sample merchant it names no paywall and no portal', () => {
  const screen = renderScreen({ ...running, demo: undefined });
  expect(screen).not.toMatch(/\/(?:paywall|portal)\//);
  expect(screen.split(/\s+/)).toContain(addressOf('/console'));
});

test('it prints the number of each test card and of each test bank account', () => {
  const words = renderScreen({ ...running, demo }).split(/\s+/);
  for (const number of [...sandboxCards.map((card) => card.number), ...sandboxAccounts.map(({ iban }) => iban)])
    expect(words).toContain(number);
});
