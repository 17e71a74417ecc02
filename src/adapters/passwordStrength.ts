import type * as Estimator from '@zxcvbn-ts/core';
import type * as LeakedPasswords from '@zxcvbn-ts/language-common';
import { lazily } from '../kit/lazily';

// The list of passwords takes memory, so a process that sets no password does not load it.
const estimator = lazily<typeof Estimator>(require, '@zxcvbn-ts/core');
const leaked = lazily<typeof LeakedPasswords>(require, '@zxcvbn-ts/language-common');

/** Words that the library does not list: words of this product, and frequent passwords of readers of other languages. */
const words = (
  'paywall subscription subscribe subscriber abonnement member members membership premium customer merchant media news ' +
  'video audio podcast magazine reader viewer ' +
  'contrasena motdepasse wachtwoord lozinka geheim geheimnis kennwort salasana losenord parola sifre ' +
  'tequiero teamo teamomucho miamor jetaime monamour ichliebedich schatz schatzi liebling kochanie kocham askim ' +
  'seniseviyorum lyubov fussball futebol calcio fenerbahce galatasaray besiktas flamengo palmeiras corinthians ' +
  'muller mueller schmidt'
).split(' ');

/** Four is the best score of the library. Three means more than 10^8 guesses, enough for a slow hash. */
const lowestScore = 3;
/** The time of an estimate grows with the length: 64 characters take a few milliseconds. */
const longestEstimate = 64;

let strength: Estimator.ZxcvbnFactory | undefined;

/** Whether an attacker finds the password within few guesses, by the first 64 characters of it. */
export function isGuessable(password: string): boolean {
  strength ??= new (estimator().ZxcvbnFactory)({
    dictionary: { ...leaked().dictionary, words },
    graphs: leaked().adjacencyGraphs,
  });
  return strength.check(plainSpelling(password).slice(0, longestEstimate)).score < lowestScore;
}

/** The text without accents, as the words are written. */
function plainSpelling(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');
}
