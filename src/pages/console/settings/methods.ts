import { settingsEndpoints } from '../../../accounts/settings.endpoints';
import { html, type Html } from '../../../kit/html';
import { enabledNames, type EnabledName } from '../../../kit/paymentMethods';
import { type Visit } from '../../../kit/pages/page';
import { type Complaint } from '../../layout/explain';
import { checkbox, complaints, form, submit } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { isOn } from '../fields';
import { paymentsAddress } from './connect';

/** How customers can pay, in the settings of payments. */

export const methodsAddress = `${paymentsAddress}/methods`;

const fieldOf = (name: EnabledName) => `method_${name}` as const;

/** The chosen methods, from the sent form. */
export const chosenMethods = (sent: Readonly<Record<string, unknown>>) =>
  enabledNames.filter((name) => isOn(sent[fieldOf(name)]));

export async function methodsForm(visit: Visit, texts: Texts, complaint: Complaint | undefined): Promise<Html> {
  const { t } = texts;
  const { payment_methods: enabled } = await visit.call(settingsEndpoints.getSettings);
  const boxes = enabledNames.map((name) =>
    checkbox({
      name: fieldOf(name),
      label: t(`console.payments.${fieldOf(name)}`),
      hint: t(`console.payments.${fieldOf(name)}_hint`),
      isChecked: enabled.includes(name),
    }),
  );
  const content = html`${complaints(texts, complaint, ['payment_methods'])} ${boxes} ${submit(t('common.save'))}`;
  return html`<section class="card stack">
    <h2>${t('console.payments.methods')}</h2>
    <p class="quiet">${t('console.payments.methodsHint')}</p>
    ${form(visit, { action: methodsAddress, content })}
  </section>`;
}
