import { relative } from 'node:path';
import { sandboxAccounts } from '../paymentSimulator/testAccounts';
import { sandboxCards } from '../paymentSimulator/testCards';
import { config } from '../../src/config';
import { type Demo } from './demoMerchant';
import { type RunningParts } from './parts';

/** The first screen after `npm start`, with all addresses and accounts that are needed to try the service. */
export function renderScreen({ demo, logFolder, ...urls }: RunningParts): string {
  const { temporalUiUrl, storeSimulatorUrl, paymentSimulatorUrl } = urls;
  const rows = [
    row('API', config.BASE_URL),
    ...(demo === undefined ? [] : pageRows(demo)),
    row('Console', `${config.BASE_URL}/console`),
    row('Reference', `${config.BASE_URL}/docs`, `${config.BASE_URL}/openapi.json`),
    row('Temporal UI', temporalUiUrl ?? `of the server at ${config.TEMPORAL_ADDRESS}`),
    ...(storeSimulatorUrl === undefined ? [] : [row('App stores', storeSimulatorUrl, 'all four, simulated')]),
    ...(paymentSimulatorUrl === undefined ? [] : [row('Payments', paymentSimulatorUrl, 'the sandbox')]),
    ...(demo === undefined ? [] : ['', ...demoRows(demo)]),
    ...(config.CARD_PROVIDER === 'sandbox' ? ['', ...cardRows(), ...accountRows()] : []),
    '',
    row('Logs', relative(process.cwd(), logFolder) || '.'),
    ...(demo === undefined ? [] : [row('Try', 'npm run demo', 'in another terminal: buys the subscription')]),
    row('Stop', 'ctrl-C'),
  ];
  const rule = '-'.repeat(88);
  return ['', rule, '  The subscription paywall is running.', rule, ...rows, rule, ''].join('\n');
}

/** The pages for customers of the demo merchant. */
function pageRows({ merchantUuid, itemId }: Demo): string[] {
  return [
    row('Paywall', `${config.BASE_URL}/paywall/${merchantUuid}/${itemId}`),
    row('Portal', `${config.BASE_URL}/portal/${merchantUuid}`),
  ];
}

function demoRows({ merchant, consumer, merchantUuid, itemId, monthlyFeeId, yearlyFeeId }: Demo): string[] {
  return [
    row('Merchant', merchant.username, `password  ${merchant.password}`),
    row('Consumer', consumer.username, `password  ${consumer.password}`),
    row('', `client_id ${merchantUuid}`, '(for both)'),
    row('Item', `item_id ${itemId}`, `access_fee ${monthlyFeeId}: 9.99 EUR a month, ${yearlyFeeId}: 99 EUR a year`),
  ];
}

function cardRows(): string[] {
  const cells = sandboxCards.map(({ number, outcome, refundOutcome }) => {
    const what = refundOutcome ? `refund_${refundOutcome.replace('_refunding', '')}` : outcome;
    return `${number} ${what.replaceAll('_', ' ')}`;
  });
  return inTwoColumns('Test cards', cells);
}

function accountRows(): string[] {
  const cells = sandboxAccounts.map(
    ({ iban, outcome }) => `${iban} ${outcome.replace('debit_', '').replaceAll('_', ' ')}`,
  );
  return inTwoColumns('Test IBANs', cells);
}

function inTwoColumns(label: string, cells: readonly string[]): string[] {
  const width = Math.max(...cells.map(({ length }) => length));
  return cells.flatMap((cell, index) =>
    index % 2 === 0 ? [row(index === 0 ? label : '', cell.padEnd(width), cells[index + 1] ?? '')] : [],
  );
}

function row(label: string, value: string, more = ''): string {
  return `  ${label.padEnd(13)} ${value}${more === '' ? '' : `  ${more}`}`.trimEnd();
}
