import { type FeatureFlag } from './features.model';

export function presentFeature({ name, enabled }: Pick<FeatureFlag, 'name' | 'enabled'>) {
  return { name, enabled };
}
