import type { Candidate } from "../candidate.ts";
import { openAxios } from "./axios.ts";

export const candidate: Candidate = {
  label: "axios, fetch adapter",
  usesFetch: true,
  open: (baseUrl) => openAxios(baseUrl, { adapter: "fetch" }),
};
