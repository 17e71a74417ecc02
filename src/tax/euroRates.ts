import { now } from '../adapters/clock';
import { fetchEuroRates } from '../adapters/ecb';
import { type EuroRate, listEuroRates, saveEuroRate } from './euroRates.model';

/** The rates with which sales in other currencies are declared in euro. */

/** A currency on the last day of a period. */
export interface RateQuestion {
  currency: string;
  /** `YYYY-MM-DD`. */
  day: string;
}

/** Why there is no rate. `not_published`: the European Central Bank has none for the currency, or none yet. */
export const rateProblems = ['period_not_ended', 'not_published', 'no_answer', 'not_configured'] as const;
export type RateProblem = (typeof rateProblems)[number];

export type RateAnswer = EuroRate | (RateQuestion & { problem: RateProblem });

const keyOf = ({ currency, day }: RateQuestion) => `${currency} ${day}`;

/**
 * The answer to each question, in the same order. A rate that is not stored is requested from the European Central Bank, and
 * then stored.
 */
export async function findEuroRates(questions: readonly RateQuestion[]): Promise<RateAnswer[]> {
  if (questions.length === 0) return [];
  const days = [...new Set(questions.map(({ day }) => day))];
  const stored = await listEuroRates(days, [...new Set(questions.map(({ currency }) => currency))]);
  const answers = new Map<string, RateAnswer>(stored.map((rate) => [keyOf(rate), rate]));
  for (const day of days) {
    const open = questions.filter((one) => one.day === day && !answers.has(keyOf(one)));
    if (open.length > 0) for (const answer of await askBank(day, open)) answers.set(keyOf(answer), answer);
  }
  return questions.map((one) => answers.get(keyOf(one)) ?? { ...one, problem: 'not_published' });
}

async function askBank(day: string, questions: readonly RateQuestion[]): Promise<RateAnswer[]> {
  const withProblem = (problem: RateProblem) => questions.map((one) => ({ ...one, problem }));
  if (day > now().toISOString().slice(0, 10)) return withProblem('period_not_ended');
  const result = await fetchEuroRates(day);
  if (result.outcome !== 'answered') return withProblem(result.outcome);
  const answers = questions.map(({ currency }): RateAnswer => {
    const published = result.rates.get(currency);
    return published ? { currency, day, ...published } : { currency, day, problem: 'not_published' };
  });
  for (const answer of answers) if ('rate' in answer) await saveEuroRate(answer);
  return answers;
}
