import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type CompanyProvider } from './company.model';
import { type CompanyProviderResponse } from './company.schemas';

export function presentProvider(
  row: CompanyProvider,
  addresses: { redirect_uri: string; sign_in_url: string },
): z.output<typeof CompanyProviderResponse> {
  return {
    issuer: row.issuer,
    client_id: row.clientId,
    domains: row.domains,
    is_active: row.isActive,
    ...addresses,
    created_at: unixSeconds(row.createdAt),
    updated_at: unixSeconds(row.updatedAt),
  };
}
