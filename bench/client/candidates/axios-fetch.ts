import type { ClientCandidate } from "../candidate.ts";
import { openAxios } from "./axios.ts";

export const candidate: ClientCandidate = {
  label: "axios, fetch adapter",
  usesFetch: true,
  open: (baseUrl) => openAxios(baseUrl, { adapter: "fetch" }),
};
