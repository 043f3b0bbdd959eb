import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** Leads from a coupon to the campaign that it was issued from. */
export function CampaignLink({ id, name }: { id: number; name: string }) {
  return <Anchor renderRoot={(props) => <Link {...props} to="/coupon-campaigns/$id" params={{ id: String(id) }} />}>{name}</Anchor>;
}
