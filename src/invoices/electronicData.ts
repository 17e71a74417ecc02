import { isInUnion } from '../billing/tax/places';
import { currencyExponent, toMajor } from '../billing/money';
import { countryOfTaxNumber, normalTaxNumber } from '../billing/tax/numbers';
import { type Html as Xml, html as xml } from '../kit/html';
import { findMethodName } from '../kit/paymentMethods';
import { type Buyer, type InvoiceLine, type Party } from './facts.model';
import { type IssuedInvoice } from './lists.model';

/**
 * The data of an invoice for the accounting software of a business: EN 16931 in the syntax of UN/CEFACT (CII), as
 * Factur-X 1.0 and ZUGFeRD 2 embed it in a PDF.
 */

export interface ElectronicTexts {
  /** The text of a line. Never empty. */
  nameOf: (line: InvoiceLine) => string;
  /** How the invoice was paid. Empty if it is not known. */
  paidWith: string;
  /** Why there is no tax. Empty if there is one. */
  reason: string;
}

/** UNTDID 1001. A cancellation charges again what a credit note gave back, so it is an invoice. */
const documentTypes = { invoice: '380', credit_note: '381', cancellation: '380' } as const;

/** UNTDID 5305. */
const categories: Record<string, string> = { reverse_charge: 'AE', exempt: 'E' };

type Business = IssuedInvoice & { buyer: Buyer };

/**
 * Undefined unless seller and buyer are businesses with tax numbers, the seller is in the European Union, and the sale
 * has a decided tax within its scope. The standard has no amounts with three decimals.
 */
export function electronicDataOf(row: IssuedInvoice, texts: ElectronicTexts): string | undefined {
  return isBetweenBusinesses(row) ? describe(row, texts).text : undefined;
}

function isBetweenBusinesses(row: IssuedInvoice): row is Business {
  const { seller, buyer, treatment, currency } = row;
  const haveNumbers = seller.tax_number !== '' && buyer !== null && buyer.tax_number !== '';
  const isDecided = treatment !== 'not_registered' && treatment !== 'outside_scope';
  return haveNumbers && isInUnion(seller.country) && isDecided && currencyExponent(currency) <= 2;
}

/** The order of the elements is that of the schema. */
function describe(row: Business, texts: ElectronicTexts): Xml {
  const { kind, number, lines, seller, buyer } = row;
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
  xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
  xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter>
  <ram:ID>urn:cen.eu:en16931:2017</ram:ID>
</ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument>
  <ram:ID>${number}</ram:ID>
  <ram:TypeCode>${documentTypes[kind]}</ram:TypeCode>
  <ram:IssueDateTime>${day(row.issuedAt, row)}</ram:IssueDateTime>${noteOf(seller.note)}
</rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
${lines.map((line, index) => lineOf(line, index + 1, row, texts))}
<ram:ApplicableHeaderTradeAgreement>
  <ram:SellerTradeParty>${partyOf(seller)}</ram:SellerTradeParty>
  <ram:BuyerTradeParty>${partyOf(buyer, buyer.email)}</ram:BuyerTradeParty>
</ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeDelivery>${deliveryOf(row)}</ram:ApplicableHeaderTradeDelivery>
<ram:ApplicableHeaderTradeSettlement>
  <ram:InvoiceCurrencyCode>${row.currency}</ram:InvoiceCurrencyCode>
${meansOf(buyer, texts)}
${taxOf(row, texts)}
${sumsOf(row)}
${row.corrects !== null && xml`<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>${row.corrects}</ram:IssuerAssignedID></ram:InvoiceReferencedDocument>`}
</ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
`;
}

const noteOf = (note: string): Xml | false =>
  note !== '' &&
  xml`
  <ram:IncludedNote><ram:Content>${legible(note)}</ram:Content></ram:IncludedNote>`;

function lineOf(line: InvoiceLine, id: number, row: Business, { nameOf }: ElectronicTexts): Xml {
  const net = signOf(row) * line.net_minor;
  // The standard has no negative prices: a discount is minus one unit.
  const quantity = net < 0 ? -1 : 1;
  return xml`<ram:IncludedSupplyChainTradeLineItem>
  <ram:AssociatedDocumentLineDocument><ram:LineID>${id}</ram:LineID></ram:AssociatedDocumentLineDocument>
  <ram:SpecifiedTradeProduct><ram:Name>${legible(nameOf(line))}</ram:Name></ram:SpecifiedTradeProduct>
  <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice>
    <ram:ChargeAmount>${decimal(Math.abs(net), row)}</ram:ChargeAmount>
  </ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
  <ram:SpecifiedLineTradeDelivery>
    <ram:BilledQuantity unitCode="C62">${quantity}</ram:BilledQuantity>
  </ram:SpecifiedLineTradeDelivery>
  <ram:SpecifiedLineTradeSettlement>
    <ram:ApplicableTradeTax>
      <ram:TypeCode>VAT</ram:TypeCode>
      <ram:CategoryCode>${categoryOf(row)}</ram:CategoryCode>
      <ram:RateApplicablePercent>${percentOf(row)}</ram:RateApplicablePercent>
    </ram:ApplicableTradeTax>${periodOf(line, row)}
    <ram:SpecifiedTradeSettlementLineMonetarySummation>
      <ram:LineTotalAmount>${decimal(net, row)}</ram:LineTotalAmount>
    </ram:SpecifiedTradeSettlementLineMonetarySummation>
  </ram:SpecifiedLineTradeSettlement>
</ram:IncludedSupplyChainTradeLineItem>
`;
}

function periodOf({ starts_at, ends_at }: InvoiceLine, row: Business): Xml | false {
  if (starts_at === null || ends_at === null) return false;
  return xml`
    <ram:BillingSpecifiedPeriod>
      <ram:StartDateTime>${day(new Date(starts_at * 1000), row)}</ram:StartDateTime>
      <ram:EndDateTime>${day(new Date(ends_at * 1000), row)}</ram:EndDateTime>
    </ram:BillingSpecifiedPeriod>`;
}

/** `email`: the electronic address. */
function partyOf(party: Party, email?: string): Xml {
  const { name, postal_code, address_line, city, country } = party;
  const { id, scheme } = numberOf(party);
  return xml`${scheme === 'FC' && xml`<ram:ID>${id}</ram:ID>`}
    <ram:Name>${legible(name)}</ram:Name>
    <ram:PostalTradeAddress>${[
      optional('PostcodeCode', postal_code),
      optional('LineOne', address_line),
      optional('CityName', city),
      optional('CountryID', country),
    ]}</ram:PostalTradeAddress>${
      email !== undefined &&
      xml`
    <ram:URIUniversalCommunication><ram:URIID schemeID="EM">${legible(email)}</ram:URIID></ram:URIUniversalCommunication>`
    }
    <ram:SpecifiedTaxRegistration><ram:ID schemeID="${scheme}">${id}</ram:ID></ram:SpecifiedTaxRegistration>
  `;
}

/**
 * BR-CO-09: a number of value added tax (VA) begins with its country. That of a registration is stored as the merchant has
 * entered it. Any other number is one of the tax office (FC). BR-CO-26: it identifies the seller then.
 */
function numberOf({ country, tax_number }: Party): { id: string; scheme: 'VA' | 'FC' } {
  const number = normalTaxNumber(country, tax_number);
  if (countryOfTaxNumber(number) === undefined) return { id: legible(tax_number), scheme: 'FC' };
  return { id: number, scheme: 'VA' };
}

/** A schema refuses empty elements. */
const optional = (name: string, value: string): Xml | false =>
  value !== '' && xml`<ram:${name}>${legible(value)}</ram:${name}>`;

/** The access begins with its period. */
function deliveryOf(row: Business): Xml | false {
  const startsAt = row.lines[0]?.starts_at ?? null;
  if (startsAt === null) return false;
  const at = day(new Date(startsAt * 1000), row);
  return xml`<ram:ActualDeliverySupplyChainEvent>
  <ram:OccurrenceDateTime>${at}</ram:OccurrenceDateTime></ram:ActualDeliverySupplyChainEvent>`;
}

/** UNTDID 4461: 1 is a method without a code of its own, 48 a card. */
function meansOf({ paid_with, last_four }: Buyer, { paidWith }: ElectronicTexts): Xml | false {
  if (paidWith === '') return false;
  // The digits of a direct debit, or of a method with a mandate, are those of a bank account. Every other name is a card scheme.
  const isCard = last_four !== '' && findMethodName(paid_with) === undefined;
  return xml`  <ram:SpecifiedTradeSettlementPaymentMeans>
    <ram:TypeCode>${isCard ? '48' : '1'}</ram:TypeCode>
    <ram:Information>${legible(paidWith)}</ram:Information>${
      isCard &&
      xml`
    <ram:ApplicableTradeSettlementFinancialCard><ram:ID>${last_four}</ram:ID></ram:ApplicableTradeSettlementFinancialCard>`
    }
  </ram:SpecifiedTradeSettlementPaymentMeans>`;
}

function taxOf(row: Business, { reason }: ElectronicTexts): Xml {
  const sign = signOf(row);
  return xml`  <ram:ApplicableTradeTax>
    <ram:CalculatedAmount>${decimal(sign * row.taxMinor, row)}</ram:CalculatedAmount>
    <ram:TypeCode>VAT</ram:TypeCode>${
      reason !== '' &&
      xml`
    <ram:ExemptionReason>${reason}</ram:ExemptionReason>`
    }
    <ram:BasisAmount>${decimal(sign * row.netMinor, row)}</ram:BasisAmount>
    <ram:CategoryCode>${categoryOf(row)}</ram:CategoryCode>
    <ram:RateApplicablePercent>${percentOf(row)}</ram:RateApplicablePercent>
  </ram:ApplicableTradeTax>`;
}

/** An invoice is issued when it is paid. */
function sumsOf(row: Business): Xml {
  const sign = signOf(row);
  const [net, tax, gross] = [row.netMinor, row.taxMinor, row.grossMinor].map((minor) => decimal(sign * minor, row));
  return xml`  <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    <ram:LineTotalAmount>${net}</ram:LineTotalAmount>
    <ram:TaxBasisTotalAmount>${net}</ram:TaxBasisTotalAmount>
    <ram:TaxTotalAmount currencyID="${row.currency}">${tax}</ram:TaxTotalAmount>
    <ram:GrandTotalAmount>${gross}</ram:GrandTotalAmount>
    <ram:TotalPrepaidAmount>${gross}</ram:TotalPrepaidAmount>
    <ram:DuePayableAmount>${decimal(0, row)}</ram:DuePayableAmount>
  </ram:SpecifiedTradeSettlementHeaderMonetarySummation>`;
}

/** A credit note of the standard has positive amounts. */
const signOf = ({ kind }: Business) => (kind === 'credit_note' ? -1 : 1);

const categoryOf = ({ treatment, rateMilli }: Business) => categories[treatment] ?? (rateMilli === 0 ? 'Z' : 'S');

const percentOf = ({ rateMilli }: Business) => String(rateMilli / 1000);

const decimal = (minor: number, { currency }: Business) => toMajor(minor, currency).toFixed(currencyExponent(currency));

/** A day of the seller's time zone. */
function day(at: Date, { timeZone }: Business): Xml {
  const format = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone });
  return xml`<udt:DateTimeString format="102">${format.format(at).replaceAll('-', '')}</udt:DateTimeString>`;
}

/** XML has no control characters except white space. */
const legible = (text: string) => text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
