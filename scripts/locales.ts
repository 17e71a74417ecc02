import { mailLocales } from '../src/mail/words';
import { locales } from '../src/pages/layout/texts';
import { isOfPages, localeFaults } from './localeFaults';

/** `npm run locales`: lists the texts that translators must add or correct. */

const faults = [
  ...localeFaults(locales, isOfPages).map((fault) => `src/pages/locales: ${fault}`),
  ...localeFaults(mailLocales).map((fault) => `src/mail/locales: ${fault}`),
];
process.stdout.write(faults.length === 0 ? 'Every language is complete.\n' : `${faults.join('\n')}\n`);
if (faults.length > 0) process.exitCode = 1;
