import { z } from 'zod';
import { existingFile } from './settings';

/** The settings of tax rates, tax numbers and exchange rates. */
export const taxSettings = {
  TAX_RATES_FILE: existingFile
    .optional()
    .describe('A file with tax rates that replaces the packaged table. docs/tax.md has its form.'),
  VIES_URL: z
    .url()
    .optional()
    .describe(
      'The register in which tax numbers of the European Union are looked up: `https://ec.europa.eu/taxation_customs/vies/rest-api`. Without it, tax numbers are checked by their form only.',
    ),
  ECB_RATES_URL: z
    .url()
    .optional()
    .describe(
      'The data service of the European Central Bank, `https://data-api.ecb.europa.eu/service`: exchange rates for the return of the one stop shop. Without it, sales in other currencies than the euro are not converted.',
    ),
};
