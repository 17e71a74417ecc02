import { onMerchantRegistered } from './accounts/accounts';
import { onDeparture } from './accounts/departures';
import { requireRecentFactor } from './accounts/secondFactors/recentFactors';
import { onMethodWanted } from './accounts/settings';
import { renewActivation } from './accounts/signIn/mailedTokens';
import { knowRuns, type RunSource } from './adapters/runs';
import { demoDataRuns } from './demoData/runs';
import { erasureRuns, exportRuns } from './privacy/runs';
import { insertStandardTypes } from './items/accessTypes';
import { claimRuns, storePurchaseRuns, unclaimedPurchaseRuns } from './externalPayments/runs';
import { removeRecipient, reportScheduleRuns } from './reports/schedules';
import { onWeakerRules } from './restrictions/rules';
import { forgetSavedFilters } from './savedFilters/savedFilters';
import { attachDocuments } from './mail/documents';
import { renewLinksOf } from './mail/renewals';
import { renewMailLinks } from './subscriptions/mailLinks/links';
import { canMake } from './subscriptions/methods/methods';
import { findTaxAccountOf } from './subscriptions/provider/taxAccounts';
import { findReceiptFile } from './subscriptions/receipts';
import { paymentRuns, refundRuns, subscriptionRuns } from './subscriptions/runs';
import { onTaxAccountWanted } from './tax/calculators';
import { webhookRuns } from './webhooks/runs';

/** All kinds of rows that need a run. */
const runSources: readonly RunSource[] = [
  subscriptionRuns,
  paymentRuns,
  refundRuns,
  erasureRuns,
  exportRuns,
  storePurchaseRuns,
  claimRuns,
  unclaimedPurchaseRuns,
  reportScheduleRuns,
  webhookRuns,
  demoDataRuns,
];

const mailsWithLinks = [
  'card_expires',
  'trial_needs_card',
  'payment_failed',
  'card_needed',
  'payment_reminder',
  'access_ends',
  'subscription_on_hold',
  'subscription_canceled',
] as const;

/** Connects lower rooms to upper rooms. Each program that sends to workflows calls this first. */
export function registerRooms(): void {
  knowRuns(runSources);
  onDeparture(removeRecipient);
  onDeparture(forgetSavedFilters);
  onMerchantRegistered(insertStandardTypes);
  onMethodWanted(canMake);
  onWeakerRules(requireRecentFactor);
  onTaxAccountWanted(findTaxAccountOf);
  renewLinksOf('activation', async (values, { accountId }) =>
    accountId !== null && (await renewActivation(accountId, values.token)) ? values : undefined,
  );
  attachDocuments(({ language, ...owner }, trxToken) =>
    findReceiptFile({ ...owner, role: 'consumer' }, trxToken, language),
  );
  for (const template of mailsWithLinks) renewLinksOf(template, (values) => Promise.resolve(renewMailLinks(values)));
}
