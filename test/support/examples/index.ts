import { accessExamples } from './access';
import { accountExamples } from './accounts';
import { emailChangeExamples } from './emailChanges';
import { brandingExamples, imageExamples } from './branding';
import { catalogueExamples } from './catalogue';
import { type Example, type Examples } from './example';
import { externalPaymentExamples } from './externalPayments';
import { itemExamples } from './items';
import { mailTextExamples } from './mailTexts';
import { merchantExamples } from './merchants';
import { operatorExamples } from './operator';
import { privacyExamples } from './privacy';
import { reportExamples } from './reports';
import { restrictionExamples } from './restrictions';
import { paymentAccountExamples } from './paymentAccounts';
import { paymentExamples } from './payments';
import { serviceExamples } from './service';
import { staffExamples } from './staff';
import { subscriptionChangeExamples } from './subscriptionChanges';
import { subscriptionExamples } from './subscriptions';
import { viewerExamples } from './viewers';
import { voucherExamples } from './vouchers';
import { webhookExamples } from './webhooks';

export { type Example, type ExampleRequest, namesOfRows } from './example';

/** Every operation with requests that succeed: what the generated tests of test/architecture start from. */
const examples: Examples = {
  ...accountExamples,
  ...emailChangeExamples,
  ...merchantExamples,
  ...viewerExamples,
  ...itemExamples,
  ...catalogueExamples,
  ...accessExamples,
  ...subscriptionExamples,
  ...privacyExamples,
  ...restrictionExamples,
  ...subscriptionChangeExamples,
  ...paymentExamples,
  ...paymentAccountExamples,
  ...serviceExamples,
  ...voucherExamples,
  ...brandingExamples,
  ...imageExamples,
  ...mailTextExamples,
  ...webhookExamples,
  ...externalPaymentExamples,
  ...reportExamples,
  ...operatorExamples,
  ...staffExamples,
};

export const exampleNames = Object.keys(examples);

export function examplesOf(name: string): readonly [Example, ...Example[]] {
  const found = [examples[name] ?? []].flat();
  const [first, ...others] = found;
  if (!first) throw new Error(missingExample(name));
  return [first, ...others];
}

export const missingExample = (name: string) =>
  `${name}: add a request that succeeds to test/support/examples, from which its authorisation and bad input are tested`;
