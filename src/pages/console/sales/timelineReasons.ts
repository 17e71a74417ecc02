import { type timelineEndpoints } from '../../../customers/timelines.endpoints';
import { type RowOf } from '../../layout/answers';
import { type TextKey, type Texts } from '../../layout/texts';
import { cancelReasons } from '../../customer/cancelReasons';

type Entry = Pick<RowOf<typeof timelineEndpoints.getTimeline>, 'kind' | 'type' | 'reason'>;

/**
 * The text for the stored reason of an entry. A reason without a text is the words of the person who canceled, or else a
 * general text, so that a stored code is never shown.
 */
export function reasonText(texts: Texts, { kind, type, reason }: Entry): string {
  if (reason === '') return '';
  const { t } = texts;
  const known = textOf[kind]?.(texts, reason);
  if (known !== undefined) return known;
  if (type !== 'subscription.canceled') return t('console.timeline.reasons.general');
  return t('console.timeline.reasons.words', { words: wordsOf(texts, reason) });
}

const textOf: Partial<Record<Entry['kind'], (texts: Texts, reason: string) => string | undefined>> = {
  subscription: stepText,
  payment: failureText,
  access: (texts, source) => find(texts, `console.reasons.causes.${source}`),
  store: (texts, store) => find(texts, `console.reports.keys.${store}`),
};

/** A failed payment is stored as `declined: insufficient_funds`, or without the prefix if the subscription never began. */
function stepText(texts: Texts, reason: string): string | undefined {
  const failure = failureText(texts, reason.replace(/^declined: /, ''));
  return failure ?? find(texts, `console.timeline.reasons.${stepName(reason)}`);
}

function failureText(texts: Texts, code: string): string | undefined {
  return find(texts, `console.failures.${code}`);
}

/** `plan 12 from the next period on` as `plan_from_the_next_period_on`: the key of its text. */
function stepName(reason: string): string {
  return reason.replaceAll(/[^A-Za-z]+/g, '_').replace(/_$/, '');
}

/** The portal stores `too_expensive: own words`, or one of both parts. */
function wordsOf({ t }: Texts, reason: string): string {
  const chosen = cancelReasons.find((name) => reason === name || reason.startsWith(`${name}: `));
  return chosen ? t(`portal.cancelReasons.${chosen}`) + reason.slice(chosen.length) : reason;
}

function find({ t }: Texts, key: string): string | undefined {
  const text = t(key as TextKey);
  return text === key ? undefined : text;
}
