/**
 * The pure core: the files that decide about money, time and access, and do nothing else. They need no database, so each
 * changed operator, condition and constant in them can be tried in a second. The files that read and write are proved by the
 * planted bugs (`npm run mutants`) and the simulator.
 */
const core = [
  // Prices, discounts, credit, rounding, fees, invoices, periods, trials, retries, tax. Not the table of tax rates.
  'src/billing/applicationFees.ts',
  'src/billing/capabilities.ts',
  'src/billing/discounts.ts',
  'src/billing/dues.ts',
  'src/billing/dunning.ts',
  'src/billing/invoiceLines.ts',
  'src/billing/losses.ts',
  'src/billing/money.ts',
  'src/billing/periods.ts',
  'src/billing/proration.ts',
  'src/billing/retryTimes.ts',
  'src/billing/schedule.ts',
  'src/billing/shares.ts',
  'src/billing/spread.ts',
  'src/billing/trials.ts',
  'src/billing/tax/addedTax.ts',
  'src/billing/tax/amounts.ts',
  'src/billing/tax/decision.ts',
  'src/billing/tax/euro.ts',
  'src/billing/tax/numbers.ts',
  'src/billing/tax/places.ts',
  'src/billing/tax/provided.ts',
  'src/billing/tax/rates.ts',
  'src/billing/tax/sellerNumbers.ts',
  'src/billing/tax/shownPrices.ts',
  'src/billing/tax/split.ts',
  // What a purchase costs first, what each charge of a subscription costs, and what a charge has come to.
  'src/vouchers/prices.ts',
  'src/subscriptions/quotes.ts',
  'src/subscriptions/lifecycle/prices.ts',
  'src/subscriptions/charges/outcomes.ts',
  // Account numbers of direct debits.
  'src/kit/ibans.ts',
  // Which changes a subscription allows.
  'src/billing/guards.ts',
  // Who may see an item, and how long a purchase in an app store gives access.
  'src/restrictions/evaluate.ts',
  'src/externalPayments/purchases/timing.ts',
];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
module.exports = {
  mutate: core,
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: { configFile: 'test/mutation/jest.config.js' },
  coverageAnalysis: 'perTest',
  // A changed constant runs all tests of its file. That takes seconds here.
  warnings: { slow: false },
  thresholds: { high: 95, low: 90, break: 90 },
  concurrency: 1,
  ignorePatterns: ['.ci', '.data', '.github', 'bench', 'deploy', 'dist', 'docs'],
  tempDirName: '.data/stryker',
  reporters: ['clear-text'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
};
