import { namesOf } from '../../../accounts/registeredUsers';
import { html, type Html, type Written } from '../../../kit/html';
import { voucherEndpoints } from '../../../vouchers/vouchers.endpoints';
import { type AnswerOf } from '../../layout/answers';
import { type Complaint } from '../../layout/explain';
import { complaints, field, form, select, submit } from '../../layout/forms';
import { named, type Texts } from '../../layout/texts';
import { findChoices, findForm } from '../catalogue/choices';
import { confirmButton, type MerchantVisit } from '../frame';
import { breakable, fileOf, mayDo, mayUse, table } from '../lists';

type Rule = AnswerOf<typeof voucherEndpoints.getVoucher>['rules'][number];

export interface RulesShown {
  id: string;
  rules: readonly Rule[];
  find?: string | undefined;
  complaint?: Complaint | undefined;
}

/** The rules of a voucher. A voucher without rules is valid for all fees and customers. */
export async function rulesPart(visit: MerchantVisit, texts: Texts, shown: RulesShown): Promise<Html> {
  const { t } = texts;
  const { id, rules, complaint } = shown;
  const list = table({
    title: t('console.vouchers.rules'),
    rows: rules,
    empty: t('console.vouchers.noRules'),
    columns: [
      { title: t('console.vouchers.goodFor'), cell: await nameRules(visit, rules) },
      { title: t('console.fields.type'), cell: ({ rule_type }) => named(texts, 'ruleTypes', rule_type) },
      {
        title: t('console.fields.actions'),
        cell: (rule) =>
          mayUse(visit, voucherEndpoints.removeVoucherRule) &&
          confirmButton(visit, {
            action: `/console/vouchers/${id}/rules/${rule.id}/remove`,
            label: t('console.delete'),
            question: t(rules.length === 1 ? 'console.vouchers.lastRuleQuestion' : 'console.vouchers.ruleQuestion'),
          }),
      },
    ],
  });
  return html`<section class="stack" id="rules">
    <h2>${t('console.vouchers.rules')}</h2>
    <p class="quiet">${t('console.vouchers.rulesHint')}</p>
    ${complaints(texts, complaint, ['email'])} ${list}
    ${fileOf(visit, texts, rules, { list: 'voucher-rules', query: { voucher_id: id } })}
    ${mayDo(visit, 'vouchers:write') && (await addingForms(visit, texts, shown))}
  </section>`;
}

/** The rules, with links to their items, fees and customers. */
async function nameRules(visit: MerchantVisit, rules: readonly Rule[]): Promise<(rule: Rule) => Written> {
  const accountIds = rules.filter(({ rule_type }) => rule_type === 'emails').map(({ value }) => value);
  const names = mayDo(visit, 'accounts:read') ? await namesOf(visit.caller, accountIds) : new Map<number, never>();
  return ({ rule_type, value, assets, access_fees: fee }) => {
    if (assets) return html`<a href="/console/items/${assets.id}">${assets.title}</a>`;
    if (fee) return html`<a href="/console/items/${fee.item_id}/fees/${value}">${fee.description}</a>`;
    const account = rule_type === 'emails' ? names.get(value) : undefined;
    return account ? html`<a href="/console/customers/${value}">${breakable(account.name)}</a>` : value;
  };
}

/** The forms for new rules. The item is chosen from those on sale, and the customer is entered by e-mail address. */
async function addingForms(visit: MerchantVisit, texts: Texts, { id, find, complaint }: RulesShown): Promise<Html> {
  const { t } = texts;
  const action = `/console/vouchers/${id}/rules`;
  const items = mayDo(visit, 'items:read') ? await findChoices(visit, find) : [];
  const choices = items.map((item) => [`${typeOf(item)}:${item.id}`, item.title] as const);
  const menu = html`${select(texts, { name: 'target', label: t('console.vouchers.ruleItem'), choices: [['', ''], ...choices], isRequired: true })}
  ${submit(t('console.vouchers.addRule'), { kind: 'other' })}`;
  const byAddress = html`${field(texts, { name: 'email', type: 'email', label: t('console.vouchers.ruleCustomer'), complaint, isRequired: true })}
  ${submit(t('console.vouchers.addRule'), { kind: 'other' })}`;
  const found =
    choices.length === 0
      ? html`<p class="quiet">${t('console.items.notFound')}</p>`
      : form(visit, { action, content: menu, className: 'filters', name: 'item-rule' });
  return html`<div class="halves wide">
    ${
      mayDo(visit, 'items:read') &&
      html`<div class="card stack">
        ${findForm(texts, { action: `/console/vouchers/${id}`, place: 'rules', find })} ${found}
      </div>`
    }
    ${
      mayDo(visit, 'accounts:read') &&
      html`<div class="card">
        ${form(visit, { action, content: byAddress, className: 'filters', name: 'customer-rule' })}
      </div>`
    }
  </div>`;
}

const typeOf = ({ item_type }: { item_type: { name: string } }) =>
  item_type.name === 'package' ? 'packages' : 'assets';
